kernel "other" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    git = "--upload-pack=x"
  }
}
