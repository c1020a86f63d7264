kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    with     = "network_krnl"
    produces = "mine.xo"
    boards   = ["u55c", "u55d"]
  }
}
