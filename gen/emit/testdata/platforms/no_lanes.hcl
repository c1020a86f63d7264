# A plugin that no lane has, and a user's own type, function table and tuning.
platform "no_lanes" {
  doc   = "A platform without lanes."
  board = "u55c"

  type "bfloat16" { bytes = 2 }

  poe "tcp" {}

  arithmetic "reduce_ops" {
    function "sum" { tdest = { bfloat16 = 0, float32 = 7 } }
  }

  compression "hp_compression" { lanes = 0 }

  tuning {
    gather_fan_in         = 0
    reduce_flat_max_bytes = 32768
  }

  capacity {
    ranks         = 4
    communicators = 3
  }
}
