platform "endmodule" {
  board = "u55c"
  poe "tcp" {}
}
