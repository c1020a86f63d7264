platform "p" {
  board = "u55c"
  poe "tcp" {}
  cclo {
    kernel_stream = "vad_put"
  }
  arithmetic "reduce_op" {}
  compression "hp_compresion" {}
}
