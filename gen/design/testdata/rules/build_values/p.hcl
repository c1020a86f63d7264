platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    firmware = "flash"
    timing   = "never"
    jobs     = 0

    step "link" {
      cpus   = 0
      memory = "64 GB"
      time   = "soon"
    }

    step "hls" {
      memory = "99T"
      time   = "40d"
    }

    step "synthesis" { cpus = 4 }

    step "link" { cpus = 8 }
  }
}
