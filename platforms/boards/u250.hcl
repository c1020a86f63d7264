# AMD Alveo U250: two Ethernet ports, DDR, reaches host memory.

board "u250" {
  doc      = "Alveo U250: 4 SLRs, 4 banks of DDR4, two 100 GbE ports."
  part     = "xcu250-figd2104-2L-e"
  platform = "xilinx_u250_gen3x16_xdma_4_1_202210_1"
  slrs     = 4
  ports    = 2

  # What the authors of kernels call the board, of those who have tried it.
  known_as = {
    network_krnl = "u250"
    networklayer = "u250"
    rdma_stack   = "u250"
  }

  # Versions of Vitis that the platform does not go together with.
  avoid = {
    "2022.2" = "It has trouble with this version; take another (github.com/Xilinx/xup_vitis_network_example, issue 124)."
    "2025.2" = "The card is no longer supported (Vitis Libraries, release notes of 2025.2)."
    "2026.1" = "The card is no longer supported (Vitis Libraries, release notes of 2025.2)."
  }

  # Evaluated for each instance, with cclo.{index,count,slr} and poe.{index,count,slr}.
  slr {
    mac  = 2
    poe  = 3
    cclo = cclo.count == 1 ? 2 : min(cclo.index, 3)
  }

  # Both DMAs of an engine share one bank: the bank of its SLR, or with several
  # engines one bank each.
  memory "DDR" {
    banks = 4
    size  = "16G"
    cclo  = cclo.count == 1 ? [cclo.slr] : [cclo.index]
    poe   = [poe.slr]
  }

  memory "HOST" {
    banks = 1
    size  = "16G"
    host  = [0]
  }
}
