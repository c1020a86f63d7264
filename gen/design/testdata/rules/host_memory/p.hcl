platform "p" {
  board = "u280"
  host_memory = true
  poe "tcp" {}
}
