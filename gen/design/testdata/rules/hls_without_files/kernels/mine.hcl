kernel "mine" {
  like = "called_kernel"
  source = "hls"
}
