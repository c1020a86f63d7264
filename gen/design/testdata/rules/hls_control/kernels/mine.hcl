kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine.hpp"]
    calls = "body"
  }
  control = "user_managed"
}
