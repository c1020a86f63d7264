platform "p" {
  board = "u55c"
  
}
