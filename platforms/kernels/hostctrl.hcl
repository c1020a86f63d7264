# Turns register writes of the host into the call stream.

kernel "hostctrl" {
  doc       = "Host controller."
  role      = "host_controller"
  each      = "cclo"
  when      = cclo.dma == "external"
  source    = "rtl"
  control   = "ap_ctrl_hs"
  instance  = "hostctrl_${cclo.index}_0"
  place     = "cclo"
  registers = "hostctrl"

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }

  port "cmd" {
    axis  = "out"
    width = 32
    joins = cclo.calls ? "control/client0.call" : "control/call"
  }

  port "sts" {
    axis  = "in"
    width = 32
    joins = cclo.calls ? "control/client0.answer" : "control/answer"
  }
}
