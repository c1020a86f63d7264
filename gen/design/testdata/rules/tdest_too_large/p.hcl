platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" { tdest = { float32 = 256, float64 = 255 } }
  }
  compression "hp_compression" {
    conversion "float32" "float16" { tdest = 16 }
    conversion "float16" "float32" { tdest = -1 }
  }
}
