kernel "other" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    with     = "network_krnl"
    git      = "https://example.org/mine"
    revision = "0123456789abcdef0123456789abcdef01234567"
    tools    = ["vivado", "vivdo"]
  }
}
