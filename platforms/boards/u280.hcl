# AMD Alveo U280: two Ethernet ports, HBM (its DDR is left to other kernels).

board "u280" {
  doc      = "Alveo U280: 3 SLRs, 8 GB of HBM, two 100 GbE ports."
  part     = "xcu280-fsvh2892-2L-e"
  platform = "xilinx_u280_gen3x16_xdma_1_202211_1"
  slrs     = 3
  ports    = 2

  # What the authors of kernels call the board, of those who have tried it.
  known_as = {
    network_krnl = "u280"
    networklayer = "u280"
    rdma_stack   = "u280"
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

  memory "HBM" {
    banks = 32
    size  = "256M"
    cclo  = [6 * cclo.index, 6 * cclo.index + 5]
    poe   = [6 * cclo.count + poe.index]
  }
}
