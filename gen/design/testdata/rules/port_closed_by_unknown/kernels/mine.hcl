kernel "mine" {
  role     = "user"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "mine_${cclo.index}"

  port "side_out" {
    axis  = "out"
    width = 512
    joins = "side/out"

    closed_by {
      kernel   = "loopback"
      instance = "lb_side_${cclo.index}"
      to       = "side_inn"
    }
  }

  port "side_in" {
    axis  = "in"
    width = 512
    joins = "side/in"
  }

  port "a" {
    axis  = "in"
    width = 512
    joins = "kernel/out"
  }

  port "b" {
    axis  = "out"
    width = 512
    joins = "kernel/in"
  }
}
