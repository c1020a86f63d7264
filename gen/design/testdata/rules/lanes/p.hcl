platform "p" {
  board = "u55c"
  poe "tcp" {}
  compression "hp_compression" {
    lanes = 4
  }
}
