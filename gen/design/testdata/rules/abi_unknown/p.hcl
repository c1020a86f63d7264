platform "p" {
  board = "u55c"
  abi = "accl-2023"
  poe "tcp" {}
}
