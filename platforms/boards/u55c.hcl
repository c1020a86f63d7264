# AMD Alveo U55C: two Ethernet ports, HBM, reaches host memory.

board "u55c" {
  doc      = "Alveo U55C: 3 SLRs, 16 GB of HBM, two 100 GbE ports."
  part     = "xcu55c-fsvh2892-2L-e"
  platform = "xilinx_u55c_gen3x16_xdma_3_202210_1"
  slrs     = 3
  ports    = 2

  # What the authors of kernels call the board, of those who have tried it.
  known_as = {
    network_krnl = "u55c"
    networklayer = "u55c"
    rdma_stack   = "u55c"
  }

  # Evaluated for each instance, with cclo.{index,count,slr} and poe.{index,count,slr}.
  slr {
    mac  = 1
    poe  = 1
    cclo = cclo.count == 1 ? 0 : min(cclo.index, 2)
  }

  memory "HBM" {
    banks = 32
    size  = "512M"
    cclo  = [6 * cclo.index, 6 * cclo.index + 5]
    poe   = [6 * cclo.count + poe.index]
  }

  memory "HOST" {
    banks = 1
    size  = "16G"
    host  = [0]
  }
}
