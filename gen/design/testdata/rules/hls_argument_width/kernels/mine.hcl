kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  argument "count" {
    type  = "int"
    width = 64
  }
}
