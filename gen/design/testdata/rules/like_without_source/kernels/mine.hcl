kernel "mine" {
  like = "called_kernel"
}
