kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  argument "src" {
    type = "float*"
    port = "s_axi_control"
  }
}
