# One engine on TCP that sends gradients as their largest elements.

platform "topk" {
  board = "u55c"

  type "top2" {
    bytes = 8
    doc   = "The two largest of 16 float32: two float16, each with its place."
  }

  poe "tcp" {}

  arithmetic "reduce_ops" {}

  compression "topk" {
    lanes = 3
  }
}
