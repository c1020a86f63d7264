platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" { tdest = { float32 = 0, float64 = 1 } }
    function "max" { tdest = { float32 = 1 } }
  }
  compression "hp_compression" {
    conversion "float32" "float16" { tdest = 1 }
    conversion "float16" "float32" { tdest = 1 }
  }
}
