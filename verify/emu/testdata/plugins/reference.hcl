# The shipped plugins, in C++.

platform "reference" {
  board  = "u55c"
  source = { reduce_ops = "hls", hp_compression = "hls" }

  cclo {
    kernel_stream = "loopback"
  }

  poe "tcp" {}

  arithmetic "reduce_ops" {}

  compression "hp_compression" {
    lanes = 3
  }
}
