platform "p" {
  board = "u55c"
  poe "tcp" {}
  poe "udp" { port = 1 }
  cclo {
    count = 2
  }
}
