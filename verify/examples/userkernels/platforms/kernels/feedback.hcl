kernel "feedback" {
  doc  = "Keeps the two largest of 16 gradients, and adds what is left to the next ones."
  like = "compression_plugin"

  hls {
    files = ["feedback.hpp", "topk.hpp"]
  }

  conversion "float32" "top2" {
    tdest     = 0
    ratio_log = 4
    cpp       = "with_feedback"
  }
  conversion "top2" "float32" {
    tdest     = 1
    ratio_log = 4
  }
}
