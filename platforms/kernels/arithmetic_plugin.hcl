# What arithmetic plugins have in common: kernels that are like it say their
# functions, and where their implementation comes from.

kernel "arithmetic_plugin" {
  doc      = "Two operand streams and a result."
  abstract = true
  role     = "arithmetic"
  each     = "cclo"
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
}
