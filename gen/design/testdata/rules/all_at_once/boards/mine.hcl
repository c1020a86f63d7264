board "mine" {
  part     = "xcu55c-fsvh2892-2L-e"
  platform = "xilinx_u55c_gen3x16_xdma_3_202210_1"
  slrs     = 99
  ports    = 2
}
