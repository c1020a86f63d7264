board "bare" {
  part     = "xc"
  platform = "shell"
  slrs     = 1
  ports    = 1
  slr {
    mac  = 0
    poe  = 0
    cclo = 0
  }
  memory "DDR" {
    banks = 1
    cclo  = [0]
  }
}
