# A board that nobody makes.
board "x900" {
  doc      = "A card with one region more than any shipped one."
  part     = "xcx900-test-1-e"
  platform = "maker_x900_gen5x16_1"
  slrs     = 5
  ports    = 4

  known_as = {
    networklayer = "x900"
    rdma_stack   = "x900_coyote"
  }

  slr {
    mac  = 4
    poe  = 4
    cclo = 3
  }

  memory "DDR" {
    banks = 6
    size  = "32G"
    cclo  = [4]
    poe   = [5]
  }
}
