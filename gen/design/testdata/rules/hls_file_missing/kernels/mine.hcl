kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["other.hpp"]
    calls = "body"
  }
}
