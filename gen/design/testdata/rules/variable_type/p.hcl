variable "clock" {
  type    = number
  default = "fast"
}

platform "p" {
  board = "u55c"
  clock = var.clock
  poe "tcp" {}
}
