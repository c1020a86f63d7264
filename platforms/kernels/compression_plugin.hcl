# What plugins of compression lanes have in common: kernels that are like it say
# their conversions, and where their implementation comes from.

kernel "compression_plugin" {
  doc      = "A stream in and a stream out."
  abstract = true
  role     = "compression"
  each     = "lane"
  control  = "ap_ctrl_none"
  instance = "compression_${cclo.index}_${lane.index}"
  place    = "cclo"

  port "in_r" {
    doc   = "TDEST selects the conversion."
    axis  = "in"
    width = 512
    tdest = 4
    joins = "compression/${lane.index}.operand"
  }

  port "out_r" {
    axis  = "out"
    width = 512
    joins = "compression/${lane.index}.result"
  }
}
