platform "2fast" {
  board = "u55c"
  poe "tcp" {}
}
