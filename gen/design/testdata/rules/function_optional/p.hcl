platform "p" {
  board = "u55c"
  poe "tcp" {}
  arithmetic "reduce_ops" {
    function "sum" {
      tdest    = { float32 = 0 }
      optional = true
    }
  }
}
