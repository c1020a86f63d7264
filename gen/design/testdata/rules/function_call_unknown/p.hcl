platform "p" {
  board = "u55c"
  clock = maximum(100, 250)
  poe "tcp" {}
}
