# AMD Alveo U200: two Ethernet ports, DDR, reaches host memory.

board "u200" {
  doc      = "Alveo U200: 3 SLRs, 4 banks of DDR4, two 100 GbE ports."
  part     = "xcu200-fsgd2104-2-e"
  platform = "xilinx_u200_gen3x16_xdma_2_202110_1"
  slrs     = 3
  ports    = 2

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
    cclo  = cclo.count == 1 ? [cclo.slr] : [cclo.index]
    poe   = [3]
  }

  memory "HOST" {
    banks = 1
    host  = [0]
  }
}
