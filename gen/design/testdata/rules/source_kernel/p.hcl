platform "p" {
  board = "u55c"
  source = { reduce_op = "hls" }
  poe "tcp" {}
}
