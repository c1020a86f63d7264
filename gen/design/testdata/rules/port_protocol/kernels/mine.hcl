kernel "mine" {
  role     = "user"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "mine_${cclo.index}"

  port "c" {
    axis  = "sideways"
    axi   = "master"
    width = 7
  }

  port "m" {
    axi   = "master"
    width = 512

    bursts {
      outstanding = 0
      read        = 257
      write       = 16
    }
  }

  port "a" {
    axis  = "in"
    width = 512
    joins = "kernel/out"

    bursts {
      outstanding = 4
      read        = 16
      write       = 16
    }
  }

  port "b" {
    axis  = "out"
    width = 512
    joins = "kernel/in"
  }
}
