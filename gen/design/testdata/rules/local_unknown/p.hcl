locals {
  clock = 250
}

platform "p" {
  board = "u55c"
  clock = local.clok
  poe "tcp" {}
}
