# UDP/IP stack of a third party, linked as it is.

kernel "networklayer" {
  doc      = "UDP network engine."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "udp"
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/Xilinx/xup_vitis_network_example"
  instance = "poe_${poe.index}"
  place    = "poe"

  # The revision is the last whose documentation says what it has been tried with.
  xo {
    git        = "https://github.com/Xilinx/xup_vitis_network_example"
    revision   = "0b64f7c30c5006d6759262a5de4fca7ed5087d12"
    submodules = true
    versions   = ["2022.1", "2022.2"]
    directory  = "NetLayers"
    tools      = ["vivado", "vitis_hls", "make"]
    command    = "make all DEVICE=${board.platform}"
    produces   = "NetLayers/_x.${board.platform}/networklayer.xo"

    # IP that the kernel refers to, by the kind of memory.
    repositories = ["NetLayers/100G-fpga-network-stack-core/synthesis_results_${contains(board.memories, "HBM") ? "HBM" : "noHBM"}"]
  }

  port "S_AXIL_nl" {
    axilite = "slave"
    width   = 32
    range   = hex("10000")
  }

  port "S_AXIS_eth2nl" {
    axis  = "in"
    width = 512
    joins = "mac/rx"
  }

  port "M_AXIS_nl2eth" {
    axis  = "out"
    width = 512
    joins = "mac/tx"
  }

  port "S_AXIS_sk2nl" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "network/tx_data"
  }

  port "M_AXIS_nl2sk" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "network/rx_data"
  }

  # Registers of the same revision: NetLayers/template.xml, with the offsets that
  # NetLayers/Makefile computes for a table of 16 sockets, its default. Addresses are
  # numbers, first octet highest, but in the ARP table, where it is lowest.
  register "mac_address" {
    at    = hex("10")
    width = 64
    doc   = "Own MAC address."
  }

  register "ip_address" {
    at  = hex("18")
    doc = "Own IPv4 address."
  }

  register "gateway" {
    at  = hex("1C")
    doc = "Where packets to other networks go."
  }

  register "ip_mask" {
    at  = hex("20")
    doc = "Mask of the own network."
  }

  # Counters, until they are cleared.
  register "eth_in_cycles" {
    at    = hex("400")
    width = 64
    doc   = "Cycles of packets from the MAC."
  }

  register "eth_in_bytes" {
    at    = hex("408")
    width = 64
    doc   = "Bytes of packets from the MAC."
  }

  register "eth_in_packets" {
    at    = hex("410")
    width = 64
    doc   = "Packets from the MAC."
  }

  register "pkth_in_cycles" {
    at    = hex("418")
    width = 64
    doc   = "Cycles of packets of them passed on."
  }

  register "pkth_in_bytes" {
    at    = hex("420")
    width = 64
    doc   = "Bytes of packets of them passed on."
  }

  register "pkth_in_packets" {
    at    = hex("428")
    width = 64
    doc   = "Packets of them passed on."
  }

  register "arp_in_cycles" {
    at    = hex("430")
    width = 64
    doc   = "Cycles of packets ARP, received."
  }

  register "arp_in_bytes" {
    at    = hex("438")
    width = 64
    doc   = "Bytes of packets ARP, received."
  }

  register "arp_in_packets" {
    at    = hex("440")
    width = 64
    doc   = "Packets ARP, received."
  }

  register "arp_out_cycles" {
    at    = hex("448")
    width = 64
    doc   = "Cycles of packets ARP, sent."
  }

  register "arp_out_bytes" {
    at    = hex("450")
    width = 64
    doc   = "Bytes of packets ARP, sent."
  }

  register "arp_out_packets" {
    at    = hex("458")
    width = 64
    doc   = "Packets ARP, sent."
  }

  register "icmp_in_cycles" {
    at    = hex("460")
    width = 64
    doc   = "Cycles of packets ICMP, received."
  }

  register "icmp_in_bytes" {
    at    = hex("468")
    width = 64
    doc   = "Bytes of packets ICMP, received."
  }

  register "icmp_in_packets" {
    at    = hex("470")
    width = 64
    doc   = "Packets ICMP, received."
  }

  register "icmp_out_cycles" {
    at    = hex("478")
    width = 64
    doc   = "Cycles of packets ICMP, sent."
  }

  register "icmp_out_bytes" {
    at    = hex("480")
    width = 64
    doc   = "Bytes of packets ICMP, sent."
  }

  register "icmp_out_packets" {
    at    = hex("488")
    width = 64
    doc   = "Packets ICMP, sent."
  }

  register "ethhi_out_cycles" {
    at    = hex("490")
    width = 64
    doc   = "Cycles of packets given an Ethernet header."
  }

  register "ethhi_out_bytes" {
    at    = hex("498")
    width = 64
    doc   = "Bytes of packets given an Ethernet header."
  }

  register "ethhi_out_packets" {
    at    = hex("4A0")
    width = 64
    doc   = "Packets given an Ethernet header."
  }

  register "eth_out_cycles" {
    at    = hex("4A8")
    width = 64
    doc   = "Cycles of packets to the MAC."
  }

  register "eth_out_bytes" {
    at    = hex("4B0")
    width = 64
    doc   = "Bytes of packets to the MAC."
  }

  register "eth_out_packets" {
    at    = hex("4B8")
    width = 64
    doc   = "Packets to the MAC."
  }

  register "udp_in_cycles" {
    at    = hex("4C0")
    width = 64
    doc   = "Cycles of packets UDP, received."
  }

  register "udp_in_bytes" {
    at    = hex("4C8")
    width = 64
    doc   = "Bytes of packets UDP, received."
  }

  register "udp_in_packets" {
    at    = hex("4D0")
    width = 64
    doc   = "Packets UDP, received."
  }

  register "app_out_cycles" {
    at    = hex("4D8")
    width = 64
    doc   = "Cycles of packets from the engine."
  }

  register "app_out_bytes" {
    at    = hex("4E0")
    width = 64
    doc   = "Bytes of packets from the engine."
  }

  register "app_out_packets" {
    at    = hex("4E8")
    width = 64
    doc   = "Packets from the engine."
  }

  register "udp_out_cycles" {
    at    = hex("4F0")
    width = 64
    doc   = "Cycles of packets UDP, sent."
  }

  register "udp_out_bytes" {
    at    = hex("4F8")
    width = 64
    doc   = "Bytes of packets UDP, sent."
  }

  register "udp_out_packets" {
    at    = hex("500")
    width = 64
    doc   = "Packets UDP, sent."
  }

  register "app_in_cycles" {
    at    = hex("508")
    width = 64
    doc   = "Cycles of packets to the engine."
  }

  register "app_in_bytes" {
    at    = hex("510")
    width = 64
    doc   = "Bytes of packets to the engine."
  }

  register "app_in_packets" {
    at    = hex("518")
    width = 64
    doc   = "Packets to the engine."
  }

  register "debug_reset_counters" {
    at  = hex("5F0")
    doc = "1 clears all counters."
  }

  register "udp_number_sockets" {
    at  = hex("810")
    doc = "Size of the socket table; read only."
  }

  register "udp_their_ip" {
    at     = hex("820")
    count  = 16
    stride = 8
    doc    = "Socket table: the peer's IPv4 address."
  }

  register "udp_their_port" {
    at     = hex("8A0")
    count  = 16
    stride = 8
    doc    = "Socket table: the peer's port."
  }

  register "udp_my_port" {
    at     = hex("920")
    count  = 16
    stride = 8
    doc    = "Socket table: the own port."
  }

  register "udp_valid" {
    at     = hex("9A0")
    count  = 16
    stride = 8
    doc    = "Socket table: 1 for an entry that counts."
  }

  register "arp_discovery" {
    at  = hex("1010")
    doc = "From 0 to 1: asks every address that differs from the own one in the last octet. Not while packets are sent."
  }

  register "arp_valid" {
    at    = hex("1100")
    count = 64
    doc   = "ARP table, by the last octet of the address: 1 for an entry that counts, a byte each."
  }

  register "arp_ip_address" {
    at    = hex("1400")
    count = 256
    doc   = "ARP table: IPv4 addresses."
  }

  register "arp_mac_address" {
    at    = hex("1800")
    width = 64
    count = 256
    doc   = "ARP table: MAC addresses."
  }
}
