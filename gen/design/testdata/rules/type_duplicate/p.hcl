platform "p" {
  board = "u55c"
  poe "tcp" {}
  type "bfloat16" {
    bytes = 2
  }
  type "bfloat16" {
    bytes = 2
  }
}
