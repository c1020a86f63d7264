# One engine on TCP, with the shipped example of a user kernel in C++.

platform "vadd" {
  board  = "u55c"
  source = { vadd_put = "hls" }

  cclo {
    kernel_stream = "vadd_put"
  }

  poe "tcp" {}

  arithmetic "reduce_ops" {}
}
