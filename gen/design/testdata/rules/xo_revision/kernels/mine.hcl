kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    git      = "https://example.org/mine"
    revision = "v1.2"
    command  = "make"
    produces = "mine.xo"
  }
}
