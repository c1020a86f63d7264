platform "p" {
  board = "u55c"
  poe "tcp" {}
  limits {
    max_eager_bytes      = 1024
    max_rendezvous_bytes = 512
  }
}
