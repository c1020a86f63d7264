kernel "mine" {
  like = "arithmetic_plugin"

  hls {
    files = ["mine.hpp"]
  }

  function "sum" {
    tdest = { float32 = 0 }
    cpp   = "add"
  }
}
