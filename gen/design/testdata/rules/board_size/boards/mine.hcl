board "mine" {
  part     = "part"
  platform = "platform"
  slrs     = 1
  ports    = 1

  slr {
    mac  = 0
    poe  = 0
    cclo = 0
  }

  memory "DDR" {
    banks = 2
    size  = "16 GB"
    cclo  = [0]
    poe   = [1]
  }
}
