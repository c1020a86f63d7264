platform "p" {
  board = "u55c"
  type "pair" {
    bytes = 4
    align = 3
  }
  poe "tcp" {}
}
