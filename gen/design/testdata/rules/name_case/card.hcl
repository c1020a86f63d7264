platform "card" {
  board = "u55c"
  poe "tcp" {}
}
