kernel "mine" {
  like = "arithmetic_plugin"

  hls {
    files = ["mine.hpp"]
  }

  port "third" {
    axis     = "in"
    width    = 512
    required = false
  }

  function "sum" {
    tdest = { float32 = 0 }
  }
}
