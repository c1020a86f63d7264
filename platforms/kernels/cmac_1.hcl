# 100G MAC of the UDP stack on Ethernet port 1, from the same source.

kernel "cmac_1" {
  doc  = "100G MAC on Ethernet port 1."
  like = "cmac_0"
  when = poe.kind == "udp" && poe.port == 1 && !platform.hw_emu
}
