platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    slurm {
      partition = "fpga nodes"
      account   = "x;y"
      options   = ["-N2", "--mem=3G", "--outp=x", "--requeue", "--exclusive", "--licenses=vivado:1"]
    }

    slurm {}
  }
}
