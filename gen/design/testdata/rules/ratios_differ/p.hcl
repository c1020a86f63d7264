platform "p" {
  board = "u55c"
  type "small_one" { bytes = 32 }
  compression "mine" {}
  poe "tcp" {}
}
