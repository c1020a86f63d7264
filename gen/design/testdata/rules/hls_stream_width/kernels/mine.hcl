kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  port "extra" {
    axis     = "in"
    width    = 1024
    required = false
  }
}
