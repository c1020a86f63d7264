kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    path = "mine.xo"
    git  = "https://example.org/mine"
  }
}
