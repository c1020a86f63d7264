kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
  control = "ap_ctrl_none"

  argument "count" {}
}
