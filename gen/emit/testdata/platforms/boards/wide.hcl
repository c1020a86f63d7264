board "wide" {
  doc      = "A board with room for 64 engines."
  part     = "none"
  platform = "none"
  slrs     = 4
  ports    = 1

  slr {
    mac  = 0
    poe  = 0
    cclo = min(cclo.index, 3)
  }

  memory "HBM" {
    banks = 512
    cclo  = [6 * cclo.index, 6 * cclo.index + 5]
    poe   = [6 * cclo.count + poe.index]
  }
}
