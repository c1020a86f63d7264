kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  port "memory" {
    axi   = "master"
    width = 512
  }

  argument "src" {
    type = "float*"
    port = "memory"
  }
}
