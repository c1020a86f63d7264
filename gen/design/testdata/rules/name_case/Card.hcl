platform "Card" {
  board = "u55c"
  poe "tcp" {}
}
