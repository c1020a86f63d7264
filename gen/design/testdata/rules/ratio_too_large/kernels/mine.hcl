kernel "mine" {
  like = "compression_plugin"

  hls {
    files = ["mine.hpp"]
  }

  conversion "float32" "small_one" {
    tdest     = 0
    ratio_log = 5
  }

  conversion "small_one" "float32" {
    tdest     = 1
    ratio_log = 5
  }
}
