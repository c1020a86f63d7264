platform "p" {
  board = "u55c"
  poe "tcp" {}
  cclo {
    rx_buffers {
      count = 200
    }
  }
  capacity {
    ranks         = 64
    communicators = 2
  }
}
