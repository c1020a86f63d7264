kernel "ratio_ops" {
  doc  = "Adds."
  like = "arithmetic_plugin"

  hls {
    files = ["ratio.hpp"]
  }

  function "sum" { tdest = { int32 = 3, tally = 5 } }
}

kernel "ratio_conversions" {
  doc  = "Keeps the first element of each unit."
  like = "compression_plugin"

  hls {
    files = ["ratio.hpp"]
  }

  conversion "int32" "quarter" {
    tdest     = 0
    ratio_log = 2
  }
  conversion "quarter" "int32" {
    tdest     = 1
    ratio_log = 2
  }
  conversion "int32" "sixteenth" {
    tdest     = 7
    ratio_log = 4
  }
  conversion "sixteenth" "int32" {
    tdest     = 4
    ratio_log = 4
  }
  conversion "int32" "tally" {
    tdest     = 2
    ratio_log = 2
  }
  conversion "tally" "int32" {
    tdest     = 9
    ratio_log = 2
  }
}
