# No real card: as many regions, banks and ports as 64 engines ask for.

board "synthetic" {
  doc      = "A card with a bank for each of 64 engines."
  part     = "xcu250-figd2104-2L-e"
  platform = "synthetic"
  slrs     = 4
  ports    = 1

  slr {
    mac  = 0
    poe  = 0
    cclo = min(cclo.index, 3)
  }

  memory "DDR" {
    banks = 80
    cclo  = [cclo.index]
    poe   = [64 + min(poe.index, 15)]
  }
}
