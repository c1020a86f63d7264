# Reduction plugin: SUM and MAX of two operands, beat by beat.

kernel "reduce_ops" {
  doc    = "Arithmetic plugin."
  like   = "arithmetic_plugin"
  source = "rtl"

  hls {
    files = ["reduce_ops.hpp", "ieee754.hpp"]
  }

  function "sum" { tdest = { float32 = 0, float64 = 1, int32 = 2, int64 = 3, float16 = 4 } }
  function "max" { tdest = { float32 = 5, float64 = 6, int32 = 7, int64 = 8, float16 = 9 } }
}
