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
    command      = "make all DEVICE=${board.platform} INTERFACE=${poe.port}"
    produces     = "Ethernet/_x.${board.platform}/cmac_${poe.port}.xo"
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

  # Registers of the same revision: Ethernet/template.xml; their bits: AMD PG203, "Register
  # Space". Statistics hold what was counted between the last two writes to stat_pm_tick.
  # The kernel itself turns the receiver on when it is clocked, and the sender when the
  # receiver is aligned; until then the sender tells the other side of a fault.
  register "reset_reg" {
    at  = hex("4")
    doc = "Resets the core, without its registers. What it shall do of RS-FEC it takes over by that."

    bit "rx" {
      at  = 30
      doc = "The receiver."
    }

    bit "tx" {
      at  = 31
      doc = "The sender."
    }
  }

  register "conf_tx" {
    at  = hex("C")
    doc = "Sender."

    bit "enable" {
      at  = 0
      doc = "Sends packets."
    }

    bit "send_lfi" {
      at  = 3
      doc = "Tells the other side of a local fault."
    }

    bit "send_rfi" {
      at  = 4
      doc = "Tells the other side of a remote fault."
    }

    bit "send_idle" {
      at  = 5
      doc = "Sends nothing but idle."
    }
  }

  register "conf_rx" {
    at  = hex("14")
    doc = "Receiver."

    bit "enable" {
      at  = 0
      doc = "Takes packets."
    }
  }

  register "version" {
    at  = hex("24")
    doc = "Of the core: major 15:8, minor 7:0."
  }

  register "gt_loopback" {
    at  = hex("90")
    doc = "Loops the transceivers back."

    bit "loopback" {
      at  = 0
      doc = "What is sent is received."
    }
  }

  register "stat_tx_status" {
    at  = hex("200")
    doc = "State of the sender; bits stay until they are read."

    bit "local_fault" {
      at  = 0
      doc = "Fault in the sender."
    }
  }

  register "stat_rx_status" {
    at  = hex("204")
    doc = "State of the receiver; bits stay until they are read."

    bit "status" {
      at  = 0
      doc = "The link is up."
    }

    bit "aligned" {
      at  = 1
      doc = "All lanes are aligned."
    }

    bit "misaligned" {
      at  = 2
      doc = "Lanes have lost their alignment."
    }

    bit "aligned_err" {
      at  = 3
      doc = "Lanes cannot be aligned."
    }

    bit "hi_ber" {
      at  = 4
      doc = "Too many bit errors."
    }

    bit "remote_fault" {
      at  = 5
      doc = "The other side receives nothing it can use."
    }

    bit "local_fault" {
      at  = 6
      doc = "Nothing is received that can be used."
    }

    bit "got_signal_os" {
      at  = 14
      doc = "A signal ordered set was received."
    }
  }

  register "stat_rx_block_lock" {
    at  = hex("20C")
    doc = "Lanes that have found blocks, a bit each of 20."
  }

  register "stat_rx_lane_sync" {
    at  = hex("210")
    doc = "Lanes that have found markers, a bit each of 20."
  }

  register "stat_pm_tick" {
    at  = hex("2B0")
    doc = "1 copies all counters to where they can be read, and clears them."

    bit "tick" {
      at  = 0
      doc = "Clears itself."
    }
  }

  register "stat_cycle_count" {
    at    = hex("2B8")
    width = 64
    doc   = "Cycles between the last two ticks."
  }

  register "stat_tx_total_packets" {
    at    = hex("500")
    width = 64
    doc   = "Packets sent."
  }

  register "stat_tx_total_good_packets" {
    at    = hex("508")
    width = 64
    doc   = "Packets without error sent."
  }

  register "stat_tx_total_bytes" {
    at    = hex("510")
    width = 64
    doc   = "Bytes sent."
  }

  register "stat_tx_total_good_bytes" {
    at    = hex("518")
    width = 64
    doc   = "Bytes of packets without error sent."
  }

  register "stat_tx_total_packets_64B" {
    at    = hex("520")
    width = 64
    doc   = "Packets of 64 bytes sent."
  }

  register "stat_tx_total_packets_65_127B" {
    at    = hex("528")
    width = 64
    doc   = "Packets of 65 to 127 bytes sent."
  }

  register "stat_tx_total_packets_128_255B" {
    at    = hex("530")
    width = 64
    doc   = "Packets of 128 to 255 bytes sent."
  }

  register "stat_tx_total_packets_256_511B" {
    at    = hex("538")
    width = 64
    doc   = "Packets of 256 to 511 bytes sent."
  }

  register "stat_tx_total_packets_512_1023B" {
    at    = hex("540")
    width = 64
    doc   = "Packets of 512 to 1023 bytes sent."
  }

  register "stat_tx_total_packets_1024_1518B" {
    at    = hex("548")
    width = 64
    doc   = "Packets of 1024 to 1518 bytes sent."
  }

  register "stat_tx_total_packets_1519_1522B" {
    at    = hex("550")
    width = 64
    doc   = "Packets of 1519 to 1522 bytes sent."
  }

  register "stat_tx_total_packets_1523_1548B" {
    at    = hex("558")
    width = 64
    doc   = "Packets of 1523 to 1548 bytes sent."
  }

  register "stat_tx_total_packets_1549_2047B" {
    at    = hex("560")
    width = 64
    doc   = "Packets of 1549 to 2047 bytes sent."
  }

  register "stat_tx_total_packets_2048_4095B" {
    at    = hex("568")
    width = 64
    doc   = "Packets of 2048 to 4095 bytes sent."
  }

  register "stat_tx_total_packets_4096_8191B" {
    at    = hex("570")
    width = 64
    doc   = "Packets of 4096 to 8191 bytes sent."
  }

  register "stat_tx_total_packets_8192_9215B" {
    at    = hex("578")
    width = 64
    doc   = "Packets of 8192 to 9215 bytes sent."
  }

  register "stat_tx_total_packets_large" {
    at    = hex("580")
    width = 64
    doc   = "Packets of more than 9215 bytes sent."
  }

  register "stat_tx_total_packets_small" {
    at    = hex("588")
    width = 64
    doc   = "Packets of less than 64 bytes sent."
  }

  register "stat_tx_total_bad_fcs" {
    at    = hex("5B8")
    width = 64
    doc   = "Packets with a wrong frame check sent."
  }

  register "stat_tx_pause" {
    at    = hex("5F0")
    width = 64
    doc   = "Pause packets sent."
  }

  register "stat_tx_user_pause" {
    at    = hex("5F8")
    width = 64
    doc   = "Priority pause packets sent."
  }

  register "stat_rx_total_packets" {
    at    = hex("608")
    width = 64
    doc   = "Packets received."
  }

  register "stat_rx_total_good_packets" {
    at    = hex("610")
    width = 64
    doc   = "Packets without error received."
  }

  register "stat_rx_total_bytes" {
    at    = hex("618")
    width = 64
    doc   = "Bytes received."
  }

  register "stat_rx_total_good_bytes" {
    at    = hex("620")
    width = 64
    doc   = "Bytes of packets without error received."
  }

  register "stat_rx_total_packets_64B" {
    at    = hex("628")
    width = 64
    doc   = "Packets of 64 bytes received."
  }

  register "stat_rx_total_packets_65_127B" {
    at    = hex("630")
    width = 64
    doc   = "Packets of 65 to 127 bytes received."
  }

  register "stat_rx_total_packets_128_255B" {
    at    = hex("638")
    width = 64
    doc   = "Packets of 128 to 255 bytes received."
  }

  register "stat_rx_total_packets_256_511B" {
    at    = hex("640")
    width = 64
    doc   = "Packets of 256 to 511 bytes received."
  }

  register "stat_rx_total_packets_512_1023B" {
    at    = hex("648")
    width = 64
    doc   = "Packets of 512 to 1023 bytes received."
  }

  register "stat_rx_total_packets_1024_1518B" {
    at    = hex("650")
    width = 64
    doc   = "Packets of 1024 to 1518 bytes received."
  }

  register "stat_rx_total_packets_1519_1522B" {
    at    = hex("658")
    width = 64
    doc   = "Packets of 1519 to 1522 bytes received."
  }

  register "stat_rx_total_packets_1523_1548B" {
    at    = hex("660")
    width = 64
    doc   = "Packets of 1523 to 1548 bytes received."
  }

  register "stat_rx_total_packets_1549_2047B" {
    at    = hex("668")
    width = 64
    doc   = "Packets of 1549 to 2047 bytes received."
  }

  register "stat_rx_total_packets_2048_4095B" {
    at    = hex("670")
    width = 64
    doc   = "Packets of 2048 to 4095 bytes received."
  }

  register "stat_rx_total_packets_4096_8191B" {
    at    = hex("678")
    width = 64
    doc   = "Packets of 4096 to 8191 bytes received."
  }

  register "stat_rx_total_packets_8192_9215B" {
    at    = hex("680")
    width = 64
    doc   = "Packets of 8192 to 9215 bytes received."
  }

  register "stat_rx_total_packets_large" {
    at    = hex("688")
    width = 64
    doc   = "Packets of more than 9215 bytes received."
  }

  register "stat_rx_total_packets_small" {
    at    = hex("690")
    width = 64
    doc   = "Packets of less than 64 bytes received."
  }

  register "stat_rx_total_packets_undersize" {
    at    = hex("698")
    width = 64
    doc   = "Packets of less than 64 bytes with a right frame check received."
  }

  register "stat_rx_total_packets_fragmented" {
    at    = hex("6A0")
    width = 64
    doc   = "Packets of less than 64 bytes with a wrong frame check received."
  }

  register "stat_rx_total_packets_oversize" {
    at    = hex("6A8")
    width = 64
    doc   = "Packets longer than allowed with a right frame check received."
  }

  register "stat_rx_total_packets_toolong" {
    at    = hex("6B0")
    width = 64
    doc   = "Packets longer than allowed received."
  }

  register "stat_rx_total_packets_jabber" {
    at    = hex("6B8")
    width = 64
    doc   = "Packets longer than allowed with a wrong frame check received."
  }

  register "stat_rx_total_bad_fcs" {
    at    = hex("6C0")
    width = 64
    doc   = "Packets with a wrong frame check received."
  }

  register "stat_rx_packets_bad_fcs" {
    at    = hex("6C8")
    width = 64
    doc   = "Packets of a right length with a wrong frame check received."
  }

  register "stat_rx_stomped_fcs" {
    at    = hex("6D0")
    width = 64
    doc   = "Packets that their sender has marked as wrong received."
  }

  register "stat_rx_pause" {
    at    = hex("6F8")
    width = 64
    doc   = "Pause packets received."
  }

  register "stat_rx_user_pause" {
    at    = hex("700")
    width = 64
    doc   = "Priority pause packets received."
  }

  register "rsfec_config_ind_corr" {
    at  = hex("1000")
    doc = "What RS-FEC does with errors."

    bit "correction" {
      at  = 0
      doc = "Corrects them."
    }

    bit "indication" {
      at  = 1
      doc = "Marks packets that it could not correct."
    }

    bit "ieee" {
      at  = 2
      doc = "Marks them as IEEE 802.3 has it."
    }
  }

  register "rsfec_config_enable" {
    at  = hex("107C")
    doc = "RS-FEC, which both ends of a link have, or neither."

    bit "rx" {
      at  = 0
      doc = "Of the receiver."
    }

    bit "tx" {
      at  = 1
      doc = "Of the sender."
    }
  }
}
