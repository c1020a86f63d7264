platform "p" {
  board = "u55c"
  poe "tcp" {}
  cclo {
    kernel_stream = "mine"
  }
}
