platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmatic "reduce_ops" {}
}
