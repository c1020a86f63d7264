# One engine on TCP, with a kernel that trains.

platform "descent" {
  board = "u55c"

  cclo {
    kernel_stream = "descent"
  }

  poe "tcp" {}

  arithmetic "reduce_ops" {}
}
