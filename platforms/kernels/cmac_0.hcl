# 100G MAC of the UDP stack on Ethernet port 0, from the same source.

kernel "cmac_0" {
  doc      = "100G MAC on Ethernet port 0."
  role     = "mac"
  each     = "poe"
  when     = poe.kind == "udp" && poe.port == 0 && !platform.hw_emu
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/Xilinx/xup_vitis_network_example"
  instance = poe.count == 1 ? "cmac" : "cmac_${poe.index}"
  place    = "mac"

  xo {
    with         = "networklayer" # the same repository
    directory    = "Ethernet"
    tools        = ["vivado", "v++", "make"]
    command      = "make all DEVICE=${board.platform} INTERFACE=0"
    produces     = "Ethernet/_x.${board.platform}/cmac_0.xo"
    repositories = []
    post_link    = "Ethernet/post_sys_link.tcl" # connects the pins of the Ethernet port
  }

  port "S_AXILITE" {
    axilite = "slave"
    width   = 32
    range   = hex("10000")
  }

  port "M_AXIS" {
    axis  = "out"
    width = 512
    joins = "mac/rx"
  }

  port "S_AXIS" {
    axis  = "in"
    width = 512
    joins = "mac/tx"
  }
}
