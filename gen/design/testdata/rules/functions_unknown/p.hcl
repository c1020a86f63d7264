platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    functions = ["sum", "mix", "m*"]
  }
}
