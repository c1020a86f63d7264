platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    optimise = 3

    step "link" { cores = 4 }

    slurm {
      queue = "fpga"
    }
  }

  build {}
}
