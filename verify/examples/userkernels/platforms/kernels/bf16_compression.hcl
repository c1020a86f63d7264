kernel "bf16_compression" {
  doc  = "Conversion between float32 and bfloat16."
  like = "compression_plugin"

  hls {
    files = ["bf16.hpp", "ieee754.hpp"]
  }

  conversion "float32" "bfloat16" { tdest = 0 }
  conversion "bfloat16" "float32" { tdest = 1 }
}
