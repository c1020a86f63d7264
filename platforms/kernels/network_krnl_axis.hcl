# Stands in for the TCP stack where engines of one card talk to each other. The ring
# that is linked here is replaced after linking by a switch that routes by TDEST.

kernel "network_krnl_axis" {
  name     = "network_krnl"
  doc      = "Network engine between the engines of one card."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "axis"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "poe_${poe.index}"
  place    = "cclo"

  port "net_tx" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "/mac/ring${poe.index}"
  }

  port "net_rx" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "/mac/ring${(poe.index + poe.count - 1) % poe.count}"
  }

  port "m_axis_tcp_notification" {
    axis  = "out"
    width = 128
    joins = "network/notification"
  }

  port "s_axis_tcp_read_pkg" {
    axis  = "in"
    width = 32
    joins = "network/read_pkg"
  }

  port "m_axis_tcp_rx_meta" {
    axis  = "out"
    width = 16
    joins = "network/rx_meta"
  }

  port "m_axis_tcp_rx_data" {
    axis  = "out"
    width = 512
    tdest = 16
    joins = "network/rx_data"
  }

  port "s_axis_tcp_tx_meta" {
    axis  = "in"
    width = 32
    joins = "network/tx_meta"
  }

  port "s_axis_tcp_tx_data" {
    axis  = "in"
    width = 512
    tdest = 16
    joins = "network/tx_data"
  }

  port "m_axis_tcp_tx_status" {
    axis  = "out"
    width = 64
    joins = "network/tx_status"
  }

  port "m_axis_tcp_port_status" {
    when  = abi.engine_sessions
    axis  = "out"
    width = 8
    joins = "session/port_status"
  }

  port "m_axis_tcp_open_status" {
    when  = abi.engine_sessions
    axis  = "out"
    width = 128
    joins = "session/open_status"
  }

  port "s_axis_tcp_listen_port" {
    when  = abi.engine_sessions
    axis  = "in"
    width = 16
    joins = "session/listen_port"
  }

  port "s_axis_tcp_open_connection" {
    when  = abi.engine_sessions
    axis  = "in"
    width = 64
    joins = "session/open_connection"
  }
}
