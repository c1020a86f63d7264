platform "p" {
  board = "u55c"
  poe "tcp" {}
  type "triple" {
    bytes = 3
  }
}
