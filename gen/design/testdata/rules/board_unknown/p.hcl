platform "p" {
  board = "u55"
  poe "tcp" {}
}
