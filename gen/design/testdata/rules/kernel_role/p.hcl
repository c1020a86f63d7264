platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "hp_compression" {}
}
