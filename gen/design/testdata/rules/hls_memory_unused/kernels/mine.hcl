kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }

  port "m_axi_other" {
    axi   = "master"
    width = 512
  }
}
