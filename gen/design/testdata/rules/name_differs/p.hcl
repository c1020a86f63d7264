platform "q" {
  board = "u55c"
  poe "tcp" {}
}
