platform "p" {
  board = "u55c"
  arithmetic "mine" {}
  poe "tcp" {}
}
