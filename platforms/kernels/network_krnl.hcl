# TCP/IP stack of a third party, linked as it is.

kernel "network_krnl" {
  doc      = "TCP network engine."
  role     = "poe"
  each     = "poe"
  when     = poe.kind == "tcp"
  source   = "xo"
  control  = "ap_ctrl_hs"
  origin   = "https://github.com/fpgasystems/Vitis_with_100Gbps_TCP-IP"
  instance = "poe_${poe.index}"
  place    = "poe"

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }

  port "m00_axi" {
    axi    = "master"
    width  = 512
    memory = "poe"
  }

  port "m01_axi" {
    axi    = "master"
    width  = 512
    memory = "poe"
  }

  port "m_axis_udp_rx" {
    doc   = "The UDP side of the stack is not used."
    axis  = "out"
    width = 512
    joins = "unused/udp_rx"

    closed_by {
      kernel   = "loopback"
      instance = "lb_udp_txrx${poe.count == 1 ? "" : "_${poe.index}"}"
      to       = "s_axis_udp_tx"
    }
  }

  port "s_axis_udp_tx" {
    axis  = "in"
    width = 512
    joins = "unused/udp_tx"
  }

  port "m_axis_udp_rx_meta" {
    axis  = "out"
    width = 256
    joins = "unused/udp_rx_meta"

    closed_by {
      kernel   = "loopback"
      instance = "lb_udp_meta${poe.count == 1 ? "" : "_${poe.index}"}"
      to       = "s_axis_udp_tx_meta"
    }
  }

  port "s_axis_udp_tx_meta" {
    axis  = "in"
    width = 256
    joins = "unused/udp_tx_meta"
  }

  port "axis_net_rx" {
    axis  = "in"
    width = 512
    joins = "mac/rx"
  }

  port "axis_net_tx" {
    axis  = "out"
    width = 512
    joins = "mac/tx"
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
    axis  = "out"
    width = 8
    joins = "session/port_status"
  }

  port "m_axis_tcp_open_status" {
    axis  = "out"
    width = 128
    joins = "session/open_status"
  }

  port "s_axis_tcp_listen_port" {
    axis  = "in"
    width = 16
    joins = "session/listen_port"
  }

  port "s_axis_tcp_open_connection" {
    axis  = "in"
    width = 64
    joins = "session/open_connection"
  }

  port "s_axis_tcp_close_connection" {
    doc      = "Open where the engine opens connections itself."
    axis     = "in"
    width    = 16
    joins    = "session/close_connection"
    required = false
  }
}
