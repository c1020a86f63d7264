platform "p" {
  board = "u55c"
  clock = 250.5
  poe "tcp" {}
  cclo {
    count = "many"
  }
}
