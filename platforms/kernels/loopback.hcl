# Closes streams that nothing is attached to. Instances come from the closed_by
# blocks of other kernels.

kernel "loopback" {
  doc     = "Sends back what it receives."
  role    = "closer"
  source  = "rtl"
  control = "ap_ctrl_none"

  hls {
    files = ["loopback.hpp"]
    top   = "loopback"
  }

  port "in" {
    axis    = "in"
    width   = 512
    tdest   = 8
    resizes = true
  }

  port "out" {
    axis    = "out"
    width   = 512
    tdest   = 8
    resizes = true
  }
}
