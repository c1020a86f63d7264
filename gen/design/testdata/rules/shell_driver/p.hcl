platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "rdma" {}

  shell "coyote" {
    driver {
      file           = "/dev/other_%d_v%d"
      group          = "F"
      words          = 1
      page           = 4096
      huge_page_bits = 21
      threads        = 1
      thread_bits    = 1
    }
  }
}
