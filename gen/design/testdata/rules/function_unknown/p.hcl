platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "min" { tdest = { float32 = 0 } }
  }
}
