# RDMA stack of the shell that RDMA platforms are built into.

kernel "rdma_stack" {
  doc      = "RDMA network engine."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "rdma"
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/fpgasystems/Coyote"
  instance = "poe_${poe.index}"
  place    = "poe"

  # The interface of Coyote v2 (queues sq, cq, rq; streams of requester and responder), which
  # ACCL's own reference design has moved to and which is documented. The revision has one
  # completion for each request (issue 78); its options are those of cmake/FindCoyoteHW.cmake.
  shell "coyote" {
    git        = "https://github.com/fpgasystems/Coyote"
    revision   = "867a8d31f0a66fb08df24292544e1b9c213ba9de"
    submodules = true # the network stack
    streams    = 4

    # Modules of the shell's own that are compiled together with the application.
    modules = ["fifo", "queue", "queue_meta", "queue_stream", "meta_queue", "meta_reg"]

    # From the design.
    computed = [
      "FDEV_NAME", "N_REGIONS", "EN_STRM", "N_STRM_AXI", "EN_MEM", "N_CARD_AXI", "EN_RDMA", "N_RDMA_AXI", "EN_TCP", "N_TCP_AXI",
      "EN_NET_0", "EN_NET_1", "ACLK_F", "EN_UCLK", "UCLK_F", "EN_PR", "N_CONFIG", "LOAD_APPS", "BUILD_APP", "SHELL_PATH", "CYT_DIR",
    ]

    known = [
      "BUILD_OPT", "BUILD_SHELL", "BUILD_STATIC", "COMP_CORES", "DDR_AUTO", "DDR_FRAG", "EN_AVX", "EN_NCLK", "EN_NRU", "EN_STATS",
      "EN_WB", "HBM_SPLIT", "HCLK_F", "HLS_CLOCK_UNCERTAINTY", "NCLK_F", "N_DDR_CHAN", "N_OUTSTANDING", "N_TLB_ACTV", "PMTU_BYTES",
      "SHELL_PROBE", "STATIC_PATH", "STATIC_PROBE", "TLBL_A", "TLBL_BITS", "TLBL_S", "TLBS_A", "TLBS_BITS", "TLBS_S",
      "NR_CC", "NR_DC_S0", "NR_DC_S1", "NR_DD", "NR_DH_S0", "NR_DH_S1", "NR_DN_S0", "NR_DN_S1", "NR_NST", "NR_N_S0", "NR_N_S1", "NR_N_S2",
      "NR_PR", "NR_SD", "NR_SH_S0", "NR_SH_S1", "NR_ST_S0", "NR_ST_S1", "NR_XST",
    ]

    options = {
      BUILD_OPT = "1"  # timing with RDMA is tight
      EN_AVX    = "0"  # registers of queue pairs are written 64 bits at a time
      TLBL_A    = "12" # buffers are many huge pages
    }

    # What the shell's driver for Linux shows programs: driver/include/coyote_defs.h,
    # driver/src/vfpga/vfpga_ops.c, sw/src/cThread.cpp and hw/hdl/slave/cnfg_slave.sv.
    # Arguments of calls and registers are words of 64 bits.
    driver {
      file             = "/dev/coyote_fpga_%d_v%d" # of a card and a region of it
      group            = "F"                       # of its calls (ioctl)
      words            = 32                        # that a call may write
      page             = 4096                      # bytes; windows (mmap) are counted in them
      huge_page_bits   = 21
      huge_page_option = "TLBL_BITS"
      threads          = 63 # of a region; the driver's list has one more, with a number that is taken
      thread_bits      = 6  # of the number of a queue pair; those of the region are above

      call "register_thread" {
        number    = 1
        direction = "in"
        field "process" { word = 0 }
        field "thread" { word = 1 } # the driver's answer
      }

      call "unregister_thread" {
        number    = 2
        direction = "in"
        field "thread" { word = 0 }
      }

      call "map_memory" {
        number    = 5
        direction = "in"
        field "address" { word = 0 }
        field "bytes" { word = 1 }
        field "thread" { word = 2 }
        field "block" { word = 3 } # of memory, all ones for any; older drivers do not read it
      }

      call "unmap_memory" {
        number    = 6
        direction = "in"
        field "address" { word = 0 }
        field "thread" { word = 1 }
      }

      # From the host's pages to the card's.
      call "offload" {
        number    = 9
        direction = "in"
        field "address" { word = 0 }
        field "bytes" { word = 1 }
        field "thread" { word = 2 }
      }

      # From the card's pages to the host's.
      call "fetch" {
        number    = 10
        direction = "in"
        field "address" { word = 0 }
        field "bytes" { word = 1 }
        field "thread" { word = 2 }
      }

      call "set_ip" {
        number    = 11
        direction = "in"
        field "address" { word = 0 }
      }

      call "set_mac" {
        number    = 12
        direction = "in"
        field "address" { word = 0 }
      }

      call "get_ip" {
        number    = 13
        direction = "out"
        field "address" { word = 0 }
      }

      call "get_mac" {
        number    = 14
        direction = "out"
        field "address" { word = 0 }
      }

      # What the shell was built with.
      call "configuration" {
        number    = 15
        direction = "out"
        field "avx" {
          at   = 0
          bits = 1
        }
        field "host_streams" {
          at   = 2
          bits = 1
        }
        field "card_streams" {
          at   = 3
          bits = 1
        }
        field "rdma" {
          at   = 16
          bits = 1
        }
        field "regions" {
          at   = 48
          bits = 8
        }
      }

      # Packets since the card was loaded.
      call "network_statistics" {
        number    = 17
        direction = "out"
        field "received" {
          word = 0
          at   = 0
          bits = 32
        }
        field "sent" {
          word = 0
          at   = 32
          bits = 32
        }
        field "arp_received" {
          word = 1
          at   = 0
          bits = 32
        }
        field "arp_sent" {
          word = 1
          at   = 32
          bits = 32
        }
      }

      # The application's registers.
      window "application" {
        page  = 3
        bytes = 65536
      }

      # The region's.
      window "region" {
        page  = 1
        bytes = 65536
      }

      # Asks the network for the MAC address of an IP address, unless the shell knows it.
      register "arp" {
        window = "region"
        at     = hex("120")
        field "address" { bits = 32 }
      }

      # A queue pair; the last word has it taken.
      register "pair" {
        window = "region"
        at     = hex("140")
        field "local_pair" { bits = 24 }
        field "remote_key" {
          at   = 32
          bits = 32
        }
        field "local_packet" {
          word = 1
          bits = 24
        }
        field "remote_packet" {
          word = 1
          at   = 24
          bits = 24
        }
        field "remote_address" {
          word = 2
          bits = 48
        }
      }

      # Where it leads; the last word has it taken. Addresses have their first octet lowest.
      register "connection" {
        window = "region"
        at     = hex("160")
        field "local_pair" { bits = 16 }
        field "remote_pair" {
          at   = 16
          bits = 24
        }
        field "port" {
          at   = 40
          bits = 16
        }
        field "address_0" {
          word = 1
          bits = 32
        }
        field "address_1" {
          word = 1
          at   = 32
          bits = 32
        }
        field "address_2" {
          word = 2
          bits = 32
        }
        field "address_3" {
          word = 2
          at   = 32
          bits = 32
        }
      }
    }
  }

  port "m_axis_notification" {
    axis  = "out"
    width = 64
    joins = "network/notification"
  }

  port "s_axis_rdma_sq" {
    axis  = "in"
    width = 128
    joins = "network/rdma_sq"
  }

  port "s_axis_tx_data" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "network/tx_data"
  }

  port "m_axis_rx_data" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "network/rx_data"
  }
}
