platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "rdma" {}

  shell "coyote" {}
  shell "coyote" {
    streams = 2
  }
}
