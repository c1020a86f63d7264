# Reduction plugin for the engine of the hardware manual, which sends both operands
# side by side.

kernel "reduce_ops_wide" {
  doc      = "Arithmetic plugin with one double-width operand stream."
  role     = "arithmetic"
  each     = "cclo"
  source   = "rtl"
  needs    = ["reduce_ops"]
  control  = "ap_ctrl_none"
  instance = "arith_${cclo.index}"
  place    = "cclo"

  port "in_r" {
    doc   = "TDEST selects function and type."
    axis  = "in"
    width = 1024
    tdest = 8
    joins = "arithmetic/op"
  }

  port "out_r" {
    axis  = "out"
    width = 512
    joins = "arithmetic/res"
  }
}
