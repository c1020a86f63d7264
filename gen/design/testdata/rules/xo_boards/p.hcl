platform "p" {
  board = "u55c"

  cclo { kernel_stream = "mine" }

  poe "tcp" {}
}
