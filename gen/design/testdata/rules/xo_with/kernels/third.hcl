kernel "third" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    git      = "https://example.org/mine"
    revision = "0123456789abcdef0123456789abcdef01234567"
    command  = "make"
    produces = "mine.xo"
    tools    = ["vivado", "vivdo"]
    versions = ["2022"]
  }
}
