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
}
