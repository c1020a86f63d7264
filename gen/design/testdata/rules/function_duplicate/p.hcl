platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" { tdest = { float32 = 0 } }
    function "sum" { tdest = { float64 = 1 } }
  }
}
