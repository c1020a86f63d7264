# 100G MAC of the UDP stack on Ethernet port 1, from the same source.

kernel "cmac_1" {
  doc  = "100G MAC on Ethernet port 1."
  like = "cmac_0"
  when = poe.kind == "udp" && poe.port == 1 && !platform.hw_emu

  xo {
    with         = "networklayer" # the same repository
    directory    = "Ethernet"
    tools        = ["vivado", "v++", "make"]
    command      = "make all DEVICE=${board.platform} INTERFACE=1"
    produces     = "Ethernet/_x.${board.platform}/cmac_1.xo"
    repositories = []
    post_link    = "Ethernet/post_sys_link.tcl" # connects the pins of the Ethernet port
  }
}
