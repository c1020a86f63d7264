platform "p" {
  bord  = "u55c"
  poe "tcp" {}
}
