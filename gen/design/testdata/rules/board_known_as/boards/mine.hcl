board "mine" {
  part     = "part"
  platform = "platform"
  slrs     = 1
  ports    = 1
  known_as = { network_kernel = "mine" }

  slr {
    mac  = 0
    poe  = 0
    cclo = 0
  }

  memory "DDR" {
    banks = 2
    size  = "16G"
    cclo  = [0]
    poe   = [1]
  }
}
