platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    debug { chipscope = ["hang"] }
    debug { chipscope = ["cmac"] }
    profile { stall = ["all:all"] }
    profile { exec = ["all:all"] }
  }
}
