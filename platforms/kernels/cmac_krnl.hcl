# 100G MAC of the TCP stack, from the same source.

kernel "cmac_krnl" {
  doc      = "100G MAC for the TCP network engine."
  role     = "mac"
  each     = "poe"
  when     = poe.kind == "tcp" && !platform.hw_emu
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/fpgasystems/Vitis_with_100Gbps_TCP-IP"
  instance = poe.count == 1 ? "cmac" : "cmac_${poe.index}"
  place    = "mac"

  xo {
    with      = "network_krnl" # one build leaves both
    produces  = "_x/cmac_krnl.xo"
    post_link = "scripts/post_sys_link.tcl" # connects the pins of the Ethernet port
  }

  port "axis_net_rx" {
    axis  = "out"
    width = 512
    joins = "mac/rx"
  }

  port "axis_net_tx" {
    axis  = "in"
    width = 512
    joins = "mac/tx"
  }
}
