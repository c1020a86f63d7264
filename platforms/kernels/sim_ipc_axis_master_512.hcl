# Brings packets into a hardware emulation; comes with Vitis.

kernel "sim_ipc_axis_master_512" {
  doc      = "Incoming side of the emulated Ethernet port."
  role     = "emulated_rx"
  each     = "poe"
  when     = platform.hw_emu && (poe.kind == "tcp" || poe.kind == "udp")
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "Vitis: data/emulation/XO"
  instance = poe.count == 1 ? "gt_master" : "gt_master_${poe.index}"
  place    = "mac"

  xo {
    variable = "XILINX_VITIS"
    path     = "data/emulation/XO/sim_ipc_axis_master_512.xo"
  }

  port "M00_AXIS" {
    axis  = "out"
    width = 512
    joins = "mac/rx"
  }
}
