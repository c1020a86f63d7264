platform "many" {
  board = "wide"

  cclo { count = 64 }

  poe "axis" {}

  arithmetic "reduce_ops" {}

  compression "hp_compression" { lanes = 1 }
}
