kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    path       = "mine.xo"
    variable   = "MY-DIR"
    command    = "make"
    submodules = true
  }
}
