platform "p" {
  board = "u55c"
  poe "tcp" {}
  compression "hp_compression" {
    conversion "float32" "float32" { tdest = 0 }
  }
}
