kernel "mine" {
  like = "called_kernel"
  name     = "hostctrl"
  instance = "mine_${cclo.index}"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
}
