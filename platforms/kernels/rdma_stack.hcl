# RDMA stack of the shell that RDMA platforms are built into.

kernel "rdma_stack" {
  doc      = "RDMA network engine."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "rdma"
  source   = "xo"
  control  = "ap_ctrl_none"
  origin   = "https://github.com/fpgasystems/Coyote"
  instance = "poe_${poe.index}"
  place    = "poe"

  port "m_axis_notification" {
    axis  = "out"
    width = 64
    joins = "network/notification"
  }

  port "s_axis_rdma_sq" {
    axis  = "in"
    width = 128
    joins = "network/rdma_sq"
  }

  port "s_axis_tx_data" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "network/tx_data"
  }

  port "m_axis_rx_data" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "network/rx_data"
  }
}
