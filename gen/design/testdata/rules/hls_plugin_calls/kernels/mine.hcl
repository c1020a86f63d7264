kernel "mine" {
  like = "arithmetic_plugin"

  hls {
    files = ["mine.hpp"]
    calls = "sum"
  }

  function "sum" {
    tdest = { float32 = 0 }
  }
}
