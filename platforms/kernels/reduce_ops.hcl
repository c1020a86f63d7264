# Reduction plugin: functions of two operands, beat by beat. Platforms have those that are not
# optional, or list what they have: arithmetic "reduce_ops" { functions = ["sum", "max", "min"] }

kernel "reduce_ops" {
  doc    = "Arithmetic plugin."
  like   = "arithmetic_plugin"
  source = "rtl"

  hls {
    files = ["reduce_ops.hpp", "ieee754.hpp"]
  }

  function "sum" { tdest = { float32 = 0, float64 = 1, int32 = 2, int64 = 3, float16 = 4 } }
  function "max" { tdest = { float32 = 5, float64 = 6, int32 = 7, int64 = 8, float16 = 9 } }

  function "min" {
    tdest    = { float32 = 10, float64 = 11, int32 = 12, int64 = 13, float16 = 14 }
    optional = true
  }

  function "prod" {
    tdest    = { float32 = 15, float64 = 16, int32 = 17, int64 = 18, float16 = 19 }
    optional = true
  }
}
