platform "p" {
  board = "u55c"
  poe "tcp" {}
}
