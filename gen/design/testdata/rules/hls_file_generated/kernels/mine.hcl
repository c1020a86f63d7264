kernel "mine" {
  like = "called_kernel"
  hls {
    files = ["mine_tb.cpp"]
    calls = "body"
  }
}
