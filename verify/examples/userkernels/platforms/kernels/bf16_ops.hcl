kernel "bf16_ops" {
  doc  = "Sums of bfloat16."
  like = "arithmetic_plugin"

  hls {
    files = ["bf16.hpp", "ieee754.hpp"]
  }

  function "sum" { tdest = { bfloat16 = 0 } }
}
