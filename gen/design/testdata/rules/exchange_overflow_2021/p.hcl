platform "p" {
  board = "u280"
  abi = "accl-2021"
  poe "tcp" {}
  capacity {
    ranks = 52
  }
  arithmetic "reduce_ops_wide" {
    function "sum" { tdest = { float32 = 0, float64 = 1, int32 = 2, int64 = 3, float16 = 4 } }
    function "max" { tdest = { float32 = 5, float64 = 6, int32 = 7, int64 = 8, float16 = 9 } }
  }
  compression "hp_compression" {}
  cclo {
    dma = "internal"
  }
}
