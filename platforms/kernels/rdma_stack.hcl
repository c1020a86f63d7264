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
    devices    = { u55c = "u55c", u280 = "u280", u250 = "u250" }
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
      TLBL_A    = "12" # buffers are many huge pages
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
