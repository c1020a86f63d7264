# What user kernels that the host calls have in common: registers for their
# arguments, memory for those that are pointers, and the streams of a user kernel.

kernel "called_kernel" {
  doc      = "Called by the host; at the engine's kernel streams."
  abstract = true
  role     = "user"
  each     = "cclo"
  control  = "ap_ctrl_hs"
  place    = "cclo"
  calls    = true

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }

  port "m_axi_gmem" {
    doc   = "Its bank is left to the linker."
    when  = kernel.pointers > 0
    axi   = "master"
    width = 512
  }

  port "cmd_to_cclo" {
    when  = cclo.calls
    axis  = "out"
    width = 32
    joins = "control/client1.call"
    depth = 512
  }

  port "sts_from_cclo" {
    when  = cclo.calls
    axis  = "in"
    width = 32
    joins = "control/client1.answer"
    depth = 512
  }

  port "data_to_cclo" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = "kernel/in"
  }

  port "data_from_cclo" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "kernel/out"
  }
}
