platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    debug {
      chipscope = ["ccl_offload_0:s_axis_krnl:data", ""]
      protocol  = ["cmac axis"]
    }

    profile {
      data   = ["ccl_offload:ccl_offload_0"]
      stall  = ["hostctrl"]
      exec   = ["hostctrl:all:sometimes"]
      memory = ["HBM[x]"]
    }
  }
}
