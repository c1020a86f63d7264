kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  argument "count" { at = hex("14") }

  argument "src" {
    at   = hex("10")
    type = "float*"
  }
}
