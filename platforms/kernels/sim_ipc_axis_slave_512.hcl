# Takes packets out of a hardware emulation; comes with Vitis.

kernel "sim_ipc_axis_slave_512" {
  doc      = "Outgoing side of the emulated Ethernet port."
  role     = "emulated_tx"
  each     = "poe"
  when     = platform.hw_emu && (poe.kind == "tcp" || poe.kind == "udp")
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "Vitis: data/emulation/XO"
  instance = poe.count == 1 ? "gt_slave" : "gt_slave_${poe.index}"
  place    = "mac"

  xo {
    variable = "XILINX_VITIS"
    path     = "data/emulation/XO/sim_ipc_axis_slave_512.xo"
  }

  port "S00_AXIS" {
    axis  = "in"
    width = 512
    joins = "mac/tx"
  }
}
