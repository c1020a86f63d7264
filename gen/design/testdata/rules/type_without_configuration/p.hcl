platform "p" {
  board = "u55c"
  type "bfloat16" { bytes = 2 }
  poe "tcp" {}
}
