variable "clock" {
  type    = number
  default = 251

  validation {
    condition     = var.clock % 50 == 0
    error_message = "clocks are multiples of 50 MHz"
  }
}

platform "p" {
  board = "u55c"
  clock = var.clock
  poe "tcp" {}
}
