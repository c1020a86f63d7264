# The collective engine in the form of the hardware manual: DMA engines inside,
# both network stacks on the outside, called through registers of its own.

kernel "ccl_offload_manual" {
  name      = "ccl_offload"
  like      = "engine"
  doc       = "Collective engine with internal DMA."
  when      = cclo.dma == "internal"
  needs     = ["ccl_offload", "hostctrl", "external_dma"]
  control   = "ap_ctrl_hs"
  registers = "hostctrl"
  pointers  = { addr_0 = "m_axi_0", addr_1 = "m_axi_1", addr_2 = "m_axi_2" }

  port "m_axi" {
    name   = "m_axi_${port.index}"
    repeat = cclo.dma_engines
    axi    = "master"
    width  = 512
    memory = "cclo"
  }

  port "s_axis_krnl" {
    doc   = "From the user kernel."
    axis  = "in"
    width = 512
    tdest = 8
    joins = "kernel/in"
  }

  port "m_axis_krnl" {
    doc   = "To the user kernel; TDEST is the tag."
    axis  = "out"
    width = 512
    tdest = 8
    joins = "kernel/out"

    closed_by {
      kernel   = "loopback"
      instance = "lb_user_krnl_${cclo.index}"
      to       = "s_axis_krnl"
    }
  }

  port "m_axis_arith_op" {
    doc      = "Both operands side by side, the first in the low half."
    axis     = "out"
    width    = 1024
    tdest    = 8
    joins    = "arithmetic/op"
    required = cclo.arithmetic
  }

  port "s_axis_arith_res" {
    axis     = "in"
    width    = 512
    tdest    = 8
    joins    = "arithmetic/res"
    required = cclo.arithmetic
  }

  port "m_axis_compression" {
    doc    = "To the plugin of a compression lane; TDEST selects the conversion."
    name   = "m_axis_compression${port.index}"
    repeat = cclo.max_lanes
    axis   = "out"
    width  = 512
    tdest  = 4
    joins  = "compression/${port.index}.operand"

    closed_by {
      kernel   = "loopback"
      instance = "lb_compression_${cclo.index}_${port.index}"
      to       = "s_axis_compression${port.index}"
    }
  }

  port "s_axis_compression" {
    name   = "s_axis_compression${port.index}"
    repeat = cclo.max_lanes
    axis   = "in"
    width  = 512
    tdest  = 4
    joins  = "compression/${port.index}.result"
  }

  port "s_axis_udp_rx_data" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = poe.kind == "udp" ? "network/rx_data" : "unused/engine_udp_rx"
    depth = poe.kind == "udp" ? 512 : 0
  }

  port "m_axis_udp_tx_data" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = poe.kind == "udp" ? "network/tx_data" : "unused/engine_udp_tx"
    depth = poe.kind == "udp" ? 512 : 0

    closed_by {
      kernel   = "loopback"
      instance = "lb_udp_${cclo.index}"
      to       = "s_axis_udp_rx_data"
    }
  }

  port "s_axis_tcp_rx_data" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = poe.kind == "udp" ? "unused/engine_tcp_rx" : "network/rx_data"
    depth = poe.kind == "udp" ? 0 : 512
  }

  port "m_axis_tcp_tx_data" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = poe.kind == "udp" ? "unused/engine_tcp_tx" : "network/tx_data"
    depth = poe.kind == "udp" ? 0 : 512

    closed_by {
      kernel   = "loopback"
      instance = "lb_tcp_${cclo.index}"
      to       = "s_axis_tcp_rx_data"
    }
  }

  port "s_axis_tcp_notification" {
    axis     = "in"
    width    = 128
    joins    = "network/notification"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "m_axis_tcp_read_pkg" {
    axis     = "out"
    width    = 32
    joins    = "network/read_pkg"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "s_axis_tcp_rx_meta" {
    axis     = "in"
    width    = 16
    joins    = "network/rx_meta"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "m_axis_tcp_tx_meta" {
    axis     = "out"
    width    = 32
    joins    = "network/tx_meta"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "s_axis_tcp_tx_status" {
    axis     = "in"
    width    = 64
    joins    = "network/tx_status"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "m_axis_tcp_listen_port" {
    axis     = "out"
    width    = 16
    joins    = "session/listen_port"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "s_axis_tcp_port_status" {
    axis     = "in"
    width    = 8
    joins    = "session/port_status"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "m_axis_tcp_open_connection" {
    axis     = "out"
    width    = 64
    joins    = "session/open_connection"
    depth    = 512
    required = poe.kind != "udp"
  }

  port "s_axis_tcp_open_status" {
    axis     = "in"
    width    = 128
    joins    = "session/open_status"
    depth    = 512
    required = poe.kind != "udp"
  }
}
