kernel "topk" {
  doc  = "Keeps the two largest of 16 gradients."
  like = "compression_plugin"

  hls {
    files = ["topk.hpp"]
  }

  conversion "float32" "top2" {
    tdest     = 0
    ratio_log = 4 # 16 of one make one of the other
  }
  conversion "top2" "float32" {
    tdest     = 1
    ratio_log = 4
  }
}
