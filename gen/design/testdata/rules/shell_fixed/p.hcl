platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "rdma" {}

  shell "coyote" {
    devices = { u55c = "u55c" }
    streams = 2
  }
}
