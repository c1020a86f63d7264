# AMD Alveo U200: two Ethernet ports, DDR, reaches host memory.

board "u200" {
  doc      = "Alveo U200: 3 SLRs, 4 banks of DDR4, two 100 GbE ports."
  part     = "xcu200-fsgd2104-2-e"
  platform = "xilinx_u200_gen3x16_xdma_2_202110_1"
  slrs     = 3
  ports    = 2

  # What the authors of kernels call the board, of those who have tried it.
  known_as = {
    networklayer = "u200"
  }

  # Versions of Vitis that the platform does not go together with.
  avoid = {
    "2025.2" = "The card is no longer supported (Vitis Libraries, release notes of 2025.2)."
    "2026.1" = "The card is no longer supported (Vitis Libraries, release notes of 2025.2)."
  }

  # Evaluated for each instance, with cclo.{index,count,slr} and poe.{index,count,slr}.
  slr {
    mac  = 2
    poe  = 2
    cclo = cclo.count == 1 ? 1 : min(cclo.index, 2)
  }

  # Both DMAs of an engine share one bank: the bank of its SLR, or with several
  # engines one bank each.
  memory "DDR" {
    banks = 4
    size  = "16G"
    cclo  = cclo.count == 1 ? [cclo.slr] : [cclo.index]
    poe   = [3]
  }

  memory "HOST" {
    banks = 1
    size  = "16G"
    host  = [0]
  }
}
