platform "p" {
  board = "u55c"
  poe "tcp" {}
  poe "tcp" {}
  cclo {
    count = 2
  }
}
