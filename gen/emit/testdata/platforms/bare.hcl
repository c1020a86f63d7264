# An engine that only moves data, of a generation without sessions of the host.
platform "bare" {
  board = "u50"
  abi   = "accl-2021"

  cclo {
    rx_buffers {
      count = 1
      size  = 64
    }
  }

  poe "udp" {}
}
