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

  # The MAC's script knows no boards but those that say so (known_as): for others build
  # from a fork of your own, with a file of this name in your platforms/kernels. The stack
  # is compiled by vitis_hls.
  #
  # Options, from the repository's CMakeLists.txt and README.md. Received data go through
  # memory: with RX_DDR_BYPASS_EN, which is on by default, all sessions would share one
  # FIFO, while an engine reads of those that it has room for. Windows are not scaled, as
  # in ACCL's builds. CMake ignores options that it does not know, and other revisions call
  # these FNS_TCP_STACK_*: so what has become of the bypass is checked. Segments are of
  # 4096 bytes by default, like an engine's packets.
  #
  # The revision is that of the submodule in ACCL, which others build from: its directory
  # listing abbreviates it.
  xo {
    git          = "https://github.com/fpgasystems/Vitis_with_100Gbps_TCP-IP"
    revision     = "562ae00"
    submodules   = true
    versions     = ["2022.1"]
    tools        = ["vivado", "vitis_hls", "v++", "cmake", "make"]
    produces     = "_x/network_krnl.xo"
    repositories = ["build/fpga-network-stack/iprepo"]
    command      = <<-EOT
      mkdir -p build
      (cd build && cmake .. -DFDEV_NAME=${board.name} -DFPGA_PART=${board.part} -DVIVADO_HLS_ROOT_DIR="$XILINX_HLS" -DVIVADO_ROOT_DIR="$XILINX_VIVADO" -DTCP_STACK_EN=1 -DTCP_STACK_RX_DDR_BYPASS_EN=0 -DTCP_STACK_WINDOW_SCALING_EN=0)
      types=kernel/common/types/network_types.svh
      if ! grep -q 'TCP_RX_BYPASS_EN = 0;' $types; then
        echo "ERROR: $types has no TCP_RX_BYPASS_EN = 0; look for the name of TCP_STACK_RX_DDR_BYPASS_EN in CMakeLists.txt" >&2
        exit 1
      fi
      make -C build installip
      make _x/network_krnl.xo _x/cmac_krnl.xo TARGET=hw TEMP_DIR=_x DEVICE=${board.platform} XSA=${board.platform} USER_KRNL=iperf_krnl USER_KRNL_MODE=rtl
    EOT
  }

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

  # Registers and numbers of revision 027371b, with the same ports:
  # kernel/network_krnl/network_krnl.xml, and src/hdl/network_control_s_axi.sv and
  # network_stack.sv for what they do. A start takes over the addresses, and is done a
  # second later.
  fact "boards" {
    value = 16
    doc   = "Boards whose MAC addresses differ, by their numbers."
  }

  fact "listen_ports" {
    value = 32768
    doc   = "Ports below it are listened on; the others are for connections that the stack opens."
  }

  fact "network_bits" {
    value = 24
    doc   = "Bits of the own network."
  }

  fact "buffer_bytes" {
    value = 64 * 1024 * 1024
    doc   = "Of each of the two buffers."
  }

  register "ip_addr" {
    at  = hex("10")
    doc = "Own IPv4 address. The gateway is the first address of its network."
  }

  register "board_number" {
    at  = hex("18")
    doc = "Added to the last half octet of the MAC address, 00:0A:35:02:9D:E5."
  }

  register "arp" {
    at  = hex("20")
    doc = "IPv4 address that a start looks up; reads with its octets reversed."
  }

  register "axi00_ptr0" {
    at     = hex("28")
    width  = 64
    memory = "m00_axi"
    doc    = "Buffer of what was sent and not yet acknowledged."
  }

  register "axi01_ptr0" {
    at     = hex("34")
    width  = 64
    memory = "m01_axi"
    doc    = "Buffer of what was received and not yet read."
  }
}
