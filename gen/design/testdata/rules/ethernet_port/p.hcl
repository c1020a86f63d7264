platform "p" {
  board = "u50"
  poe "tcp" { port = 1 }
}
