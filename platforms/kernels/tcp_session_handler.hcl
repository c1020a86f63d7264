# Opens ports and connections of the TCP stack for the host.

kernel "tcp_session_handler" {
  doc      = "Session handler of the TCP stack."
  role     = "session_handler"
  each     = "poe"
  when     = poe.kind == "tcp" && !abi.engine_sessions
  source   = "rtl"
  control  = "ap_ctrl_hs"
  instance = "session_handler_${poe.index}"
  place    = "poe"

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }

  port "listen_port" {
    axis  = "out"
    width = 16
    joins = "session/listen_port"
    depth = 512
  }

  port "port_status" {
    axis  = "in"
    width = 8
    joins = "session/port_status"
    depth = 512
  }

  port "open_connection" {
    axis  = "out"
    width = 64
    joins = "session/open_connection"
    depth = 512
  }

  port "open_status" {
    axis  = "in"
    width = 128
    joins = "session/open_status"
    depth = 512
  }

  port "close_connection" {
    axis  = "out"
    width = 16
    joins = "session/close_connection"
    depth = 512
  }

  argument "ip" {
    at  = hex("10")
    doc = "IPv4 address of the peer."
  }

  argument "port_nr" {
    at  = hex("18")
    doc = "Port to open, or of the peer."
  }

  argument "session_id_in" {
    at  = hex("20")
    doc = "Session to close."
  }

  argument "session_id" {
    at  = hex("28")
    doc = "Session that was opened."
  }

  argument "return_code" {
    at  = hex("30")
    doc = "Non-zero: done."
  }

  argument "operation" {
    at   = hex("38")
    enum = "session_operation"
    doc  = "What to do: one of the session operations."
  }
}
