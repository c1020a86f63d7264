# What accl-2021 and accl-2022 share.

locals {
  max_packet_bytes = 1536
}

abi "before-2024" {
  abstract = true

  features = {
    engine_sessions = true
  }

  constant "max_packet_bytes" { is = local.max_packet_bytes }
  constant "max_udp_payload_bytes" { is = local.max_packet_bytes - 64 }

  enum "config_function" {
    value "open_port" {
      is  = 3
      doc = "Listens on the port of every local rank of the communicator."
    }
    value "open_con" {
      is  = 4
      doc = "Connects to the other ranks of the communicator and fills in their sessions."
    }
    value "set_stack_type" {
      is  = 5
      doc = "Chooses the network stack: count 0 for UDP, 1 for TCP."
    }
    value "set_max_segment_size" {
      is  = 6
      doc = "Cuts messages at count bytes of payload; 0 for the default, the size of an rx buffer."
    }
  }

  bits "return_code" {
    bit "OPEN_PORT_NOT_SUCCEEDED" {
      at  = 16
      doc = "The network engine could not listen on the port."
    }
    bit "OPEN_CON_NOT_SUCCEEDED" {
      at  = 17
      doc = "The network engine could not connect to a rank."
    }
  }

  layout "session_status" {
    width = 32
    doc   = "Answer to a session request."
    field "session" {
      bits = "15:0"
      doc  = "Session that was opened."
    }
    field "success" {
      bits = "30"
      doc  = "1 if the request was granted."
    }
    field "ready" {
      bits = "31"
      doc  = "1 if there is an answer; the request clears it."
    }
  }
  registers "sessions" {
    base = hex("20600")
    doc  = "Requests to the TCP network engine, one at a time."
    register "listen" {
      at     = hex("00")
      access = "wo"
      doc    = "Asks to listen on this port."
    }
    register "listen_status" {
      at     = hex("04")
      access = "ro"
      doc    = "Answer to listen (layout session_status)."
    }
    register "ip" {
      at  = hex("08")
      doc = "IPv4 address to connect to."
    }
    register "connect" {
      at     = hex("0C")
      access = "wo"
      doc    = "Asks to connect to this port of the address."
    }
    register "connect_status" {
      at     = hex("10")
      access = "ro"
      doc    = "Answer to connect (layout session_status)."
    }
  }
}
