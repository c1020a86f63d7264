platform "p" {
  board = "u55c"
  poe "tcp" {}
  cclo {
    count = 2
  }
}
