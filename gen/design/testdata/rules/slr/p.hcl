platform "p" {
  board = "tall"
  poe "tcp" {}
}
