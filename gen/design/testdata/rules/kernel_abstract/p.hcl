platform "p" {
  board = "u55c"
  arithmetic "arithmetic_plugin" {}
  poe "tcp" {}
}
