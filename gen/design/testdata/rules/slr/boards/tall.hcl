board "tall" {
  part     = "xc"
  platform = "shell"
  slrs     = 2
  ports    = 1
  slr {
    mac  = 0
    poe  = 2
    cclo = cclo.index
  }
  memory "DDR" {
    banks = 1
    cclo  = [0]
    poe   = [0]
  }
}
