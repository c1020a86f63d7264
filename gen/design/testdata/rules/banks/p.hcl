platform "p" {
  board = "u55c"
  poe "axis" {}
  cclo {
    count = 6
  }
}
