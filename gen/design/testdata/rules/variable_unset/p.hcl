variable "clock" {
  type = number
}

platform "p" {
  board = "u55c"
  clock = var.clock
  poe "tcp" {}
}
