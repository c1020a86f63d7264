platform "p" {
  board = "bare"
  poe "tcp" {}
}
