# What user kernels that the host calls have in common: registers for their
# arguments, memory for those that are pointers, and the streams of a user kernel.

kernel "called_kernel" {
  doc      = "Called by the host; at the engine's kernel streams."
  like     = "user_kernel"
  abstract = true
  control  = "ap_ctrl_hs"

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
}
