# What all generations share: element types, numbers and the message header,
# and by extension everything else. What differs stands in the files of the
# generations, or in before-2024.hcl and since-2022.hcl for pairs of them.

locals {
  beat_bytes       = 64
  max_packet_bytes = 4096
}

abi "common" {
  abstract = true
  extends  = ["calls", "return-code", "exchange", "streams", "processor", "moves", "network", "inspection"]

  features = {
    engine_sessions = false # the engine opens ports and connections itself
    config_ready    = false # the host says when the configuration is complete
    rendezvous      = false # large messages go straight into the receiver's buffer
    host_operands   = false # operands and results may lie in host memory
    tuning          = false # the host sets thresholds between algorithms
  }

  type "float16" {
    bytes = 2
    doc   = "IEEE 754 binary16."
  }
  type "float32" {
    bytes = 4
    doc   = "IEEE 754 binary32."
  }
  type "float64" {
    bytes = 8
    doc   = "IEEE 754 binary64."
  }
  type "int32" {
    bytes = 4
    doc   = "Two's complement; sums wrap around."
  }
  type "int64" {
    bytes = 8
    doc   = "Two's complement; sums wrap around."
  }

  constant "tag_any" {
    is  = hex("FFFFFFFF")
    doc = "Tag that matches every tag, on either side."
  }
  constant "beat_bytes" {
    is  = local.beat_bytes
    doc = "Bytes of payload that a 512-bit stream carries in a cycle."
  }
  constant "header_bytes" {
    is  = local.beat_bytes
    doc = "Bytes of the message header: the first beat of a message."
  }
  constant "max_packet_bytes" {
    is  = local.max_packet_bytes
    doc = "Largest packet on the wire, header included."
  }
  constant "max_udp_payload_bytes" {
    is  = local.max_packet_bytes - local.beat_bytes
    doc = "Largest payload of a segment on UDP, where a segment is one packet."
  }
  constant "large_message_bytes" {
    is  = 1024
    doc = "Smallest payload of a message before which a filler goes, where need be."
  }
  constant "put_stream_offset" {
    is  = 9
    doc = "A put with tag t to a remote kernel stream has t + this in strm of its header."
  }
  constant "put_tdest_offset" {
    is  = 0
    doc = "A put with tag t arrives at the kernel stream with TDEST t + this."
  }
  constant "max_put_tag" {
    is  = 246
    doc = "Largest tag of a put to a kernel stream."
  }
  constant "default_timeout_cycles" {
    is  = 1000000
    doc = "Limit of waits inside the engine that clients set (set_timeout)."
  }
  constant "min_timeout_cycles" {
    is  = 10000
    doc = "Smallest limit of waits inside the engine: memory behind PCIe answers within it. set_timeout with less sets the default."
  }
  constant "reset_milliseconds" {
    is  = 100
    doc = "reset_periph answers at the latest after this time."
  }

  enum "message_type" {
    doc = "What a message is."
    value "eager" {
      is  = 0
      doc = "Payload that is received into rx buffers."
    }
  }

  layout "collective_shape" {
    width = 32
    doc   = "What all ranks of a collective must agree on, besides its count."
    field "operation" {
      bits = "3:0"
      doc  = "Enum operation."
    }
    field "function_code" {
      bits = "7:4"
      doc  = "Reduction function (enum reduce_function), 0 without a reduction."
    }
    field "root" {
      bits = "17:8"
      doc  = "Root, 0 without one."
    }
    field "compressed" {
      bits = "18"
      doc  = "Messages are compressed."
    }
    field "elements" {
      bits = "31:19"
      doc  = "Hash of the arithmetic configuration, 0 without elements."
    }
  }

  layout "message_header" {
    width = 512
    doc   = "First beat of a message on the wire; payload beats follow."
    field "count" {
      bits = "31:0"
      doc  = "Payload bytes; what is valid, also where the last beat is padded."
    }
    field "tag" {
      bits = "63:32"
      doc  = "Tag of the send."
    }
    field "src" {
      bits = "95:64"
      doc  = "Rank of the sender in the communicator."
    }
    field "seq" {
      bits = "127:96"
      doc  = "Sequence number from this sender in the communicator."
    }
    field "strm" {
      bits = "159:128"
      doc  = "0 for an rx buffer; for a put to the kernel stream tag + put_stream_offset."
    }
    field "dst" {
      bits = "175:160"
      doc  = "TCP session or RDMA queue pair."
    }
    field "comm_context" {
      bits = "287:256"
      doc  = "Hash of the communicator that all members compute alike; 0 from engines that do not know it, matches any. Odd inside collectives, even otherwise."
    }
    field "collective_number" {
      bits = "319:288"
      doc  = "Number of the collective in its communicator; 0 outside collectives. The upper half counts agreements of the ranks, the lower one collectives since."
    }
    field "collective_count" {
      bits = "351:320"
      doc  = "The count of the collective's call, in elements; 0 outside collectives."
    }
    field "collective_shape" {
      bits = "383:352"
      doc  = "What else all ranks must agree on (layout collective_shape); 0 outside collectives."
    }
    field "notice" {
      bits = "391:384"
      doc  = "A header alone for the control processor of the receiver; it takes no sequence number."
    }
    field "filler" {
      bits = "399:392"
      doc  = "A message that the receiver drops; behind it the session's stream is a multiple of 64 bytes long. On TCP, between engines of this project."
    }
  }
}
