# A platform whose size is a variable, to see how the time to generate grows.

variable "engines" {
  type = number
}

platform "synthetic" {
  doc   = "A card with any number of engines."
  board = "synthetic"

  cclo {
    count = var.engines
  }

  poe "axis" {}

  arithmetic "reduce_ops" {}

  compression "hp_compression" {
    lanes = 3
  }
}
