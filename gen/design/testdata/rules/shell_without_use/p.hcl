platform "p" {
  board = "u55c"

  cclo {
    kernel_stream = "loopback"
  }

  poe "udp" {}

  shell "coyote" {
    options = { BUILD_OPT = "0" }
  }
}
