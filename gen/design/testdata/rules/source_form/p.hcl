platform "p" {
  board = "u55c"
  source = { reduce_ops = "xo" }
  poe "tcp" {}
}
