# One engine on TCP that reduces and compresses to bfloat16.

platform "bf16" {
  board = "u55c"

  type "bfloat16" {
    bytes = 2
    doc   = "Upper half of float32."
  }

  poe "tcp" {}

  arithmetic "bf16_ops" {}

  compression "bf16_compression" {
    lanes = 3
  }
}
