# AMD Alveo U250: two Ethernet ports, DDR, reaches host memory.

board "u250" {
  doc      = "Alveo U250: 4 SLRs, 4 banks of DDR4, two 100 GbE ports."
  part     = "xcu250-figd2104-2L-e"
  platform = "xilinx_u250_gen3x16_xdma_4_1_202210_1"
  slrs     = 4
  ports    = 2

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
    cclo  = cclo.count == 1 ? [cclo.slr] : [cclo.index]
    poe   = [poe.slr]
  }

  memory "HOST" {
    banks = 1
    host  = [0]
  }
}
