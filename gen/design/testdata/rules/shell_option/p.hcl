platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "rdma" {}

  shell "coyote" {
    options = { TLBL_S = "10", EN_TCP = "1", TLBLS = "2", STATIC_PATH = "a;b" }
  }
}
