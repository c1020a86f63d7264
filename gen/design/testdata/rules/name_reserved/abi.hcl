platform "abi" {
  board = "u55c"
  poe "tcp" {}
}
