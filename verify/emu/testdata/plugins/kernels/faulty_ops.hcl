kernel "faulty_ops" {
  doc  = "Adds int32. What it does for other types is a mistake of each."
  like = "arithmetic_plugin"

  hls {
    files = ["faulty_ops.cpp"]
    top   = "faulty_ops"
  }

  function "sum" {
    tdest = {
      int32 = 0, twice = 1, forgets = 2, more = 3, endless = 4, early = 5, keep = 6, leaves = 7, wrongly = 8, stuck = 9, looks = 10, throws = 11, patient = 12
    }
  }
}
