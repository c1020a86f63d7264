platform "p" {
  board = "u55c"
  clock = 1000
  poe "tcp" {}
  cclo {
    count       = 0
    dma_engines = 4
    trace       = 100
    rx_buffers {
      count = 0
      size  = 100
    }
  }
  capacity {
    ranks         = 0
    communicators = 5000
  }
  limits {
    timeout_cycles    = 10
    remote_timeout_ms = 0
  }
}
