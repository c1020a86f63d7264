platform "go" {
  board = "u55c"
  poe "udp" {}
}
