platform "p" {
  board = "u55c"
  poe "tcp" {}
}

platform "p" {
  board = "u55c"
  poe "tcp" {}
}
