platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "minimum" { tdest = { float32 = 0 } }
  }
}
