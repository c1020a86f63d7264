platform "p" {
  board = "mine"
  poe "tcp" {}
}
