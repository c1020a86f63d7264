abi "engine" {
  abstract = true
}
