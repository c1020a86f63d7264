platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    post_link = ["absent.tcl", "../other.tcl", "script.sh", "mine.tcl", "mine.tcl"]
  }
}
