kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    git          = "https://example.org/mine"
    revision     = "0123456789abcdef0123456789abcdef01234567"
    directory    = "/opt"
    command      = " "
    produces     = "../${board.name}.bit"
    repositories = ["ip", "../ip"]
    post_link    = "link.py"
  }
}
