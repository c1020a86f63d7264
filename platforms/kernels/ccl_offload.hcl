# The collective engine in the form that is linked today: its DMA engines are
# kernels of their own.

kernel "ccl_offload" {
  like    = "engine"
  doc     = "Collective engine with external DMA."
  when    = cclo.dma == "external"
  control = "user_managed"

  port "s_axis_call_req" {
    doc   = "Calls, 15 words each."
    axis  = "in"
    width = 32
    joins = "control/call"
  }

  port "m_axis_call_ack" {
    doc   = "Answers, one word each."
    axis  = "out"
    width = 32
    joins = "control/answer"
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

  port "m_axis_arith_op0" {
    doc   = "First operand; TDEST selects function and type."
    axis  = "out"
    width = 512
    tdest = 8
    joins = "arithmetic/op0"

    closed_by {
      kernel   = "loopback"
      instance = "lb_arith_${cclo.index}"
      to       = "s_axis_arith_res"
    }
  }

  port "m_axis_arith_op1" {
    doc      = "Second operand; silent without arithmetic."
    axis     = "out"
    width    = 512
    tdest    = 8
    joins    = "arithmetic/op1"
    required = false
  }

  port "s_axis_arith_res" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "arithmetic/res"
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

  port "m_axis_dma_mm2s_cmd" {
    doc    = "Read commands; TDEST selects the memory."
    name   = "m_axis_dma${port.index}_mm2s_cmd"
    repeat = cclo.dma_engines
    axis   = "out"
    width  = 104
    tdest  = 8
    joins  = "dma/${port.index}.mm2s_cmd"
  }

  port "s_axis_dma_mm2s_sts" {
    doc    = "Read status: the low byte of the status word."
    name   = "s_axis_dma${port.index}_mm2s_sts"
    repeat = cclo.dma_engines
    axis   = "in"
    width  = 8
    joins  = "dma/${port.index}.mm2s_sts"
  }

  port "s_axis_dma_mm2s" {
    name   = "s_axis_dma${port.index}_mm2s"
    repeat = cclo.dma_engines
    axis   = "in"
    width  = 512
    joins  = "dma/${port.index}.mm2s"
  }

  port "m_axis_dma_s2mm_cmd" {
    doc    = "Write commands; TDEST selects the memory."
    name   = "m_axis_dma${port.index}_s2mm_cmd"
    repeat = cclo.dma_engines
    axis   = "out"
    width  = 104
    tdest  = 8
    joins  = "dma/${port.index}.s2mm_cmd"
  }

  port "s_axis_dma_s2mm_sts" {
    name   = "s_axis_dma${port.index}_s2mm_sts"
    repeat = cclo.dma_engines
    axis   = "in"
    width  = 32
    joins  = "dma/${port.index}.s2mm_sts"
  }

  port "m_axis_dma_s2mm" {
    name   = "m_axis_dma${port.index}_s2mm"
    repeat = cclo.dma_engines
    axis   = "out"
    width  = 512
    tdest  = 8
    joins  = "dma/${port.index}.s2mm"
  }

  port "s_axis_eth_rx_data" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "network/rx_data"
    depth = 512
  }

  port "m_axis_eth_tx_data" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = "network/tx_data"
    depth = 512
  }

  port "s_axis_eth_notification" {
    when  = poe.kind != "udp"
    axis  = "in"
    width = poe.kind == "rdma" ? 64 : 128
    joins = "network/notification"
    depth = 512
  }

  port "m_axis_eth_read_pkg" {
    when  = poe.kind == "tcp" || poe.kind == "axis"
    axis  = "out"
    width = 32
    joins = "network/read_pkg"
    depth = 512
  }

  port "s_axis_eth_rx_meta" {
    when  = poe.kind == "tcp" || poe.kind == "axis"
    axis  = "in"
    width = 16
    joins = "network/rx_meta"
    depth = 512
  }

  port "m_axis_eth_tx_meta" {
    when  = poe.kind == "tcp" || poe.kind == "axis"
    axis  = "out"
    width = 32
    joins = "network/tx_meta"
    depth = 512
  }

  port "s_axis_eth_tx_status" {
    when  = poe.kind == "tcp" || poe.kind == "axis"
    axis  = "in"
    width = 64
    joins = "network/tx_status"
    depth = 512
  }

  port "m_axis_rdma_sq" {
    when  = poe.kind == "rdma"
    axis  = "out"
    width = 128
    joins = "network/rdma_sq"
    depth = 512
  }

  port "m_axis_eth_listen_port" {
    doc   = "Earlier generations open ports and connections themselves."
    when  = abi.engine_sessions && (poe.kind == "tcp" || poe.kind == "axis")
    axis  = "out"
    width = 16
    joins = "session/listen_port"
    depth = 512
  }

  port "s_axis_eth_port_status" {
    when  = abi.engine_sessions && (poe.kind == "tcp" || poe.kind == "axis")
    axis  = "in"
    width = 8
    joins = "session/port_status"
    depth = 512
  }

  port "m_axis_eth_open_connection" {
    when  = abi.engine_sessions && (poe.kind == "tcp" || poe.kind == "axis")
    axis  = "out"
    width = 64
    joins = "session/open_connection"
    depth = 512
  }

  port "s_axis_eth_open_status" {
    when  = abi.engine_sessions && (poe.kind == "tcp" || poe.kind == "axis")
    axis  = "in"
    width = 128
    joins = "session/open_status"
    depth = 512
  }
}
