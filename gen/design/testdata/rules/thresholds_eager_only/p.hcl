platform "p" {
  board = "u55c"
  abi = "accl-2022"
  poe "tcp" {}
  limits {
    max_eager_bytes = 8192
  }
}
