platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "rdma" {}

  shell "coyote" {
    git      = "-o evil"
    revision = "562ae0"
  }
}
