kernel "mine" {
  like = "yours"
}

kernel "yours" {
  like = "mine"
}
