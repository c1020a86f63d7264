platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    debug {
      chipscope = ["ccl_offload_1", "ccl_offload_0:s_axis_kernel", "all"]
      protocol  = ["all:all", "cmac:axis_net_rx"]
    }

    profile {
      data   = ["all:all:all", "hostcontrol:all:all", "hostctrl:ccl_offload_0:all", "hostctrl:hostctrl_0_0:s_axi_control:counters"]
      stall  = ["hostctrl:hostctrl_0_1"]
      exec   = ["all:all:counters"]
      memory = ["HBM[0]", "DDR[0]", "all"]
    }
  }
}
