platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    functions = ["*"]
    function "sum" { tdest = { float32 = 0 } }
  }
}
