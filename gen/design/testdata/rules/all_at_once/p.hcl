platform "p" {
  board = "mine"
  clock = 1000

  cclo {
    kernel_stream = "filter"
  }

  poe "tpc" {}
}
