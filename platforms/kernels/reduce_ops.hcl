# Reduction plugin: SUM and MAX of two operands, beat by beat.

kernel "reduce_ops" {
  doc      = "Arithmetic plugin."
  role     = "arithmetic"
  each     = "cclo"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "arith_${cclo.index}"
  place    = "cclo"

  port "in0" {
    doc   = "TDEST selects function and type."
    axis  = "in"
    width = 512
    tdest = 8
    joins = "arithmetic/op0"
  }

  port "in1" {
    axis  = "in"
    width = 512
    joins = "arithmetic/op1"
  }

  port "out_r" {
    axis  = "out"
    width = 512
    joins = "arithmetic/res"
  }

  function "sum" { tdest = { float32 = 0, float64 = 1, int32 = 2, int64 = 3, float16 = 4 } }
  function "max" { tdest = { float32 = 5, float64 = 6, int32 = 7, int64 = 8, float16 = 9 } }
}
