kernel "mine" {
  role     = "user"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "mine_${cclo.index}"

  port "a" {
    axis  = "in"
    width = 512
    joins = "kernel/out"
  }

  port "b" {
    axis  = "out"
    width = 512
  }
}
