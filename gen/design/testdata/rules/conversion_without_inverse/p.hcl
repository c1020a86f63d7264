platform "p" {
  board = "u55c"
  poe "tcp" {}
  compression "hp_compression" {
    conversion "float32" "float16" { tdest = 0 }
  }
}
