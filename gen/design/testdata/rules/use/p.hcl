platform "p" {
  board = "u55c"
  poe "tcp" {}
  use = { dma = "loopback", poe = "nework_krnl" }
}
