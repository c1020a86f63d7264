platform "p" {
  board = "u55c"
  poe "tcp" {}
  type "double" {
    bytes = 8
  }
}
