kernel "loopback" {
  role    = "closer"
  source  = "rtl"
  control = "ap_ctrl_none"
  nets = {
    "core.busy"     = 0
    "core/full"     = 1
    "core.state[0]" = 1024
    "wide"          = 1025
  }

  port "in" {
    axis  = "in"
    width = 512
  }

  port "out" {
    axis  = "out"
    width = 512
  }
}
