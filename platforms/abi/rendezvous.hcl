# Rendezvous: the receiver announces its buffer, the sender writes into it and
# says when it is done.

abi "rendezvous" {
  abstract = true

  features = {
    rendezvous = true
  }

  enum "config_function" {
    value "set_max_eager_msg_size" {
      is  = 3
      doc = "Messages up to count bytes are sent eagerly; 0 for the default, the size of an rx buffer; less than that is an error, and changes nothing."
    }
    value "set_max_rendezvous_msg_size" {
      is  = 4
      doc = "Messages up to count bytes may be sent by rendezvous; 0 for the default, none; otherwise an error, which changes nothing, unless above the eager size."
    }
    value "own_peers" {
      is  = 5
      doc = "An extension: all ranks of all communicators are engines of this make, and their hosts say so, too, so that large messages go by rendezvous from the first one on. Otherwise, on UDP and TCP, they are eager until a peer's message has shown what it is; UDP loses those that rx buffers do not hold. A reset takes it back."
    }
  }

  enum "message_type" {
    value "rendezvous_data" {
      is  = 1
      doc = "Payload that is written to the announced address."
    }
    value "rendezvous_announcement" {
      is  = 2
      doc = "The receiver's buffer address; a header alone, its count in elements."
    }
    value "rendezvous_done" {
      is  = 3
      doc = "All payload was sent; a header alone, its count in bytes."
    }
  }

  bits "return_code" {
    bit "EAGER_THRESHOLD_INVALID" {
      at  = 16
      doc = "The largest eager message would be smaller than an rx buffer."
    }
    bit "RENDEZVOUS_THRESHOLD_INVALID" {
      at  = 17
      doc = "The largest rendezvous message would not be larger than the largest eager one."
    }
  }

  layout "message_header" {
    field "msg_type" {
      bits = "183:176"
      doc  = "Enum message_type."
    }
    field "host" {
      bits = "191:184"
      doc  = "1 if vaddr lies in host memory."
    }
    field "vaddr" {
      bits = "255:192"
      doc  = "Address in the receiver's memory."
    }
  }

  constant "rendezvous_windows" {
    is  = 32
    doc = "Buffers that can be open to writes of remote ranks at the same time."
  }
  constant "rendezvous_announcements" {
    is  = 64
    doc = "Announcements that the engine keeps until they are taken."
  }

  enum "move_operand" {
    value "window" {
      is  = 4
      doc = "A rendezvous window, in order, as it fills; the operand's address says where to begin."
    }
  }
  layout "move_control" {
    field "message_type" {
      bits = "27:26"
      doc  = "Type of the messages of a result on the network (enum message_type)."
    }
    field "remote_advance" {
      bits = "28"
      doc  = "remote_address advances by the bytes sent."
    }
    field "remote_host" {
      bits = "29"
      doc  = "remote_address lies in host memory, as headers carry it."
    }
  }
  registers "move" {
    register "remote_address" {
      at    = hex("60")
      width = 64
      doc   = "The header's vaddr: where data goes, or the buffer that is announced."
    }
    register "packet_index" {
      at  = hex("68")
      doc = "Index of the next packet of rendezvous_data, its sequence number; counts up. Set it to 0 for each buffer."
    }
    register "header_count" {
      at  = hex("6C")
      doc = "The count of headers that stand alone: elements announced, or bytes in all when done. Without bytes such a move sends its header alone."
    }
    register "window" {
      at  = hex("70")
      doc = "Window of an operand that is one."
    }
  }

  bits "wake_event" {
    bit "rendezvous" {
      at  = 4
      doc = "An announcement has arrived or a window is complete."
    }
  }
  bits "network_event" {
    bit "no_window" {
      at  = 5
      doc = "Data was dropped because it lies outside the sender's open windows."
    }
    bit "no_announcement" {
      at  = 6
      doc = "An announcement was dropped because too many wait."
    }
  }

  registers "rendezvous" {
    base = hex("20700")
    doc  = "Windows, which remote ranks may write to, and the announcements of theirs."
    register "window" {
      at  = hex("00")
      doc = "Window that the registers below are about."
    }
    register "address" {
      at    = hex("08")
      width = 64
      doc   = "First byte of the window."
    }
    register "bytes" {
      at  = hex("10")
      doc = "Size of the window."
    }
    register "open" {
      at     = hex("14")
      access = "wo"
      doc    = "Opens the window to the move's comm, source, comm_context and, where that is odd, collective_number, before it is announced: 0 in device memory, 1 in host memory."
    }
    register "shut" {
      at     = hex("38")
      access = "wo"
      doc    = "Any value: closes the window; what still arrives for it is dropped."
    }
    register "arrived" {
      at     = hex("18")
      access = "ro"
      doc    = "Bytes of the window that have arrived without a gap and lie in memory."
    }
    register "done" {
      at     = hex("1C")
      access = "ro"
      doc    = "1 when the sender is done and all its bytes lie in memory; the window is then closed."
    }
    register "seek" {
      at     = hex("20")
      access = "ro"
      doc    = "Looks for the oldest announcement by the move's destination (of comm) with its tag and comm_context: 1 if there is one, else 0. Where comm_context is odd, those from before the ranks' last agreement (by the upper half of collective_number) are dropped on the way, and 2 says that the oldest one is of another collective."
    }
    register "announced_count" {
      at     = hex("24")
      access = "ro"
      doc    = "Elements of the announcement found."
    }
    register "announced_address" {
      at     = hex("28")
      width  = 64
      access = "ro"
      doc    = "Address of the announcement found."
    }
    register "announced_host" {
      at     = hex("30")
      access = "ro"
      doc    = "1 if the announced address lies in host memory."
    }
    register "announced_transfer" {
      at     = hex("3C")
      access = "ro"
      doc    = "Number of the announcement found. Where messages can be lost each session counts its announcements, in seq of their headers: they are found in this order, and none before those it follows. Data and done then carry the number as their tag, and a window takes no other."
    }
    register "announced_number" {
      at     = hex("44")
      access = "ro"
      doc    = "Collective number of the announcement found."
    }
    register "announced_collective_count" {
      at     = hex("48")
      access = "ro"
      doc    = "Collective count of the announcement found."
    }
    register "announced_shape" {
      at     = hex("4C")
      access = "ro"
      doc    = "Collective shape of the announcement found."
    }
    register "take" {
      at     = hex("34")
      access = "wo"
      doc    = "Any value: removes the announcement found."
    }
    register "foreign" {
      at     = hex("40")
      access = "ro"
      doc    = "1 if the rank that the move's comm and source name does not know rendezvous on this network, so that everything to and from it is eager: on UDP and TCP, an engine of another make. The engine has been told so, or has received a message of its without comm_context."
    }
  }
}
