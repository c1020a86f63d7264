kernel "mine" {
  like = "caled_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
}
