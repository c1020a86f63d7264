kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
  }
}
