# UDP/IP stack of a third party, linked as it is.

kernel "networklayer" {
  doc      = "UDP network engine."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "udp"
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/Xilinx/xup_vitis_network_example"
  instance = "poe_${poe.index}"
  place    = "poe"

  # The revision is the last whose documentation says what it has been tried with.
  xo {
    git        = "https://github.com/Xilinx/xup_vitis_network_example"
    revision   = "0b64f7c30c5006d6759262a5de4fca7ed5087d12"
    submodules = true
    boards     = ["u50", "u55c", "u200", "u250", "u280"]
    versions   = ["2022.1", "2022.2"]
    directory  = "NetLayers"
    tools      = ["vivado", "vitis_hls", "make"]
    command    = "make all DEVICE=${board.platform}"
    produces   = "NetLayers/_x.${board.platform}/networklayer.xo"

    # IP that the kernel refers to, by the kind of memory.
    repositories = ["NetLayers/100G-fpga-network-stack-core/synthesis_results_${contains(["u200", "u250"], board.name) ? "noHBM" : "HBM"}"]
  }

  port "S_AXIL_nl" {
    axilite = "slave"
    width   = 32
    range   = hex("10000")
  }

  port "S_AXIS_eth2nl" {
    axis  = "in"
    width = 512
    joins = "mac/rx"
  }

  port "M_AXIS_nl2eth" {
    axis  = "out"
    width = 512
    joins = "mac/tx"
  }

  port "S_AXIS_sk2nl" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "network/tx_data"
  }

  port "M_AXIS_nl2sk" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "network/rx_data"
  }
}
