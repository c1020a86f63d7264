# As topk, but what a compressed gradient lacks is sent with the next ones.

platform "feedback" {
  board = "u55c"

  type "top2" {
    bytes = 8
    doc   = "The two largest of 16 float32: two float16, each with its place."
  }

  poe "tcp" {}

  arithmetic "reduce_ops" {}

  compression "feedback" {
    lanes = 3
  }
}
