locals {
  n = length([for i in range(1000) : [for j in range(1000) : [for k in range(1000) : i + j + k]]])
}

platform "p" {
  board = "u55c"
  clock = local.n
  poe "tcp" {}
}
