locals {
  a = local.b + 1
  b = local.c + 1
  c = local.a + 1
}

platform "p" {
  board = "u55c"
  clock = local.a
  poe "tcp" {}
}
