platform "p" {
  board = "u56"
  poe "tpc" {}
  cclo {
    count         = 0
    kernel_stream = "vad_put"
  }
  arithmetic "reduce_ops" {
    function "sum" { tdest = { float32 = 0, float64 = 0 } }
  }
}
