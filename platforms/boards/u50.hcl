# AMD Alveo U50: one Ethernet port, HBM only.

board "u50" {
  doc      = "Alveo U50: 2 SLRs, 8 GB of HBM, one 100 GbE port."
  part     = "xcu50-fsvh2104-2-e"
  platform = "xilinx_u50_gen3x16_xdma_5_202210_1"
  slrs     = 2
  ports    = 1

  # What the authors of kernels call the board, of those who have tried it.
  known_as = {
    network_krnl = "u50"
    networklayer = "u50"
  }

  # Evaluated for each instance, with cclo.{index,count,slr} and poe.{index,count,slr}.
  slr {
    mac  = 1
    poe  = 1
    cclo = cclo.count == 1 ? 0 : min(cclo.index, 1)
  }

  memory "HBM" {
    banks = 32
    size  = "256M"
    cclo  = [6 * cclo.index, 6 * cclo.index + 5]
    poe   = [6 * cclo.count + poe.index]
  }
}
