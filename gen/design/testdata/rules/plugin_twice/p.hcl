platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  arithmetic "reduce_ops" {}
}
