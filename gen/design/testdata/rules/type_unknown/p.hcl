platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" { tdest = { float23 = 0 } }
  }
  compression "hp_compression" {
    conversion "float32" "half" { tdest = 0 }
    conversion "half" "float32" { tdest = 1 }
  }
}
