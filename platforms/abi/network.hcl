# Received messages and the network engines, as the control processor sees them.

abi "network" {
  abstract = true

  constant "packet_slots" {
    is  = 32
    doc = "Packets that wait to be sent, and as many that have come."
  }
  constant "session_packet_slots" {
    is  = 8
    doc = "Of these, those that have come from one session."
  }

  registers "rx" {
    base = hex("20400")
    doc  = "Rx buffers. The engine fills in their records in the exchange memory, and takes a buffer back when a move has read its message. Where messages are not lost, the last free buffer is kept for one that a move waits for or that was sought."
    register "address" {
      at    = hex("00")
      width = 64
      doc   = "Address of the buffer to enqueue, in device memory."
    }
    register "bytes" {
      at  = hex("08")
      doc = "Size of the buffer to enqueue."
    }
    register "enqueue" {
      at     = hex("0C")
      access = "wo"
      doc    = "Gives the buffer to the engine: its record, as the host's byte offset in the exchange memory."
    }
    register "free" {
      at     = hex("10")
      access = "ro"
      doc    = "Buffers that wait for a message."
    }
    register "seek" {
      at     = hex("14")
      access = "ro"
      doc    = "Looks for the next message of the move's comm, source, tag and comm_context: 0 if it is not there, else its bytes + 1."
    }
    register "found" {
      at     = hex("18")
      access = "ro"
      doc    = "Record of the buffer that the last seek found; 0 for a message without payload, which has none."
    }
    register "discard" {
      at     = hex("1C")
      access = "wo"
      doc    = "Any value: drops the message that the last seek found and takes its buffer back."
    }
    register "other_source" {
      at     = hex("20")
      access = "ro"
      doc    = "Sender of the message that ended a move with COLLECTIVE_MISMATCH last."
    }
    register "other_number" {
      at     = hex("24")
      access = "ro"
      doc    = "Collective number of that message."
    }
    register "other_count" {
      at     = hex("28")
      access = "ro"
      doc    = "Collective count of that message."
    }
    register "other_shape" {
      at     = hex("2C")
      access = "ro"
      doc    = "Collective shape of that message."
    }
  }

  bits "network_control" {
    doc = "State of the network engines."
    bit "enable" {
      at  = 0
      doc = "Packets are taken and sent."
    }
  }
  bits "network_event" {
    doc = "What happened on the network."
    bit "no_buffer" {
      at  = 0
      doc = "A message was dropped because no rx buffer was free (UDP only)."
    }
    bit "bad_packet" {
      at  = 1
      doc = "A packet was dropped because its header makes no sense or its size is wrong."
    }
    bit "stale" {
      at  = 2
      doc = "A message was dropped because its sequence number had passed."
    }
    bit "too_large" {
      at  = 3
      doc = "A message was dropped because it is larger than an rx buffer."
    }
    bit "closed" {
      at  = 4
      doc = "A remote side closed its session."
    }
  }
  registers "network" {
    base = hex("20500")
    doc  = "Network engines."
    register "control" {
      at  = hex("00")
      doc = "Bit set network_control."
    }
    register "stack" {
      at  = hex("04")
      doc = "Stack in use (enum stack), among those that the engine has."
    }
    register "events" {
      at  = hex("08")
      doc = "Bit set network_event; a one that is written clears its bit."
    }
    register "closed_session" {
      at     = hex("0C")
      access = "ro"
      doc    = "Session of the last closed event."
    }
  }

  constant "notices" {
    is  = 64
    doc = "Notices that wait for the control processor."
  }
  registers "notice" {
    base = hex("20A00")
    doc  = "Notices of other ranks, oldest first. Where messages are not lost one that finds no room is held, otherwise dropped with network event no_buffer. An arrival is a network event of the processor."
    register "waiting" {
      at     = hex("00")
      access = "ro"
      doc    = "Notices that wait; the registers below are about the oldest."
    }
    register "comm_context" {
      at     = hex("04")
      access = "ro"
      doc    = "Its comm_context."
    }
    register "source" {
      at     = hex("08")
      access = "ro"
      doc    = "Its sender."
    }
    register "tag" {
      at     = hex("0C")
      access = "ro"
      doc    = "Its tag."
    }
    register "strm" {
      at     = hex("10")
      access = "ro"
      doc    = "Its strm."
    }
    register "number" {
      at     = hex("14")
      access = "ro"
      doc    = "Its collective number."
    }
    register "count" {
      at     = hex("18")
      access = "ro"
      doc    = "Its collective count."
    }
    register "shape" {
      at     = hex("1C")
      access = "ro"
      doc    = "Its collective shape."
    }
    register "take" {
      at     = hex("20")
      access = "wo"
      doc    = "Any value: forgets the oldest."
    }
  }
}
