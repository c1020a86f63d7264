locals {
  a = 1
}

locals {
  a = 2
}

platform "p" {
  board = "u55c"
  poe "tcp" {}
}
