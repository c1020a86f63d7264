platform "p" {
  board = "u55c"
  poe "tcp" {}
  tuning {
    gather_fanin     = 2
    gather_max_bytes = -1
  }
}
