# The memory that host and engine share. Its offsets differ between generations.

abi "exchange" {
  abstract = true

  enum "stack" {
    doc = "Network stack of the engine."
    value "udp" {
      is  = 0
      doc = "UDP: loss is possible and becomes an error."
    }
    value "tcp" {
      is  = 1
      doc = "TCP: reliable sessions."
    }
    value "rdma" {
      is  = 2
      doc = "RDMA: queue pairs, writes by the stack."
    }
  }

  layout "hardware_id" {
    width = 32
    doc   = "What the engine was built with."
    field "stack" {
      bits = "1:0"
      doc  = "Network stack (enum stack)."
    }
    field "internal_dma" {
      bits = "2"
      doc  = "Has DMA engines inside."
    }
    field "arithmetic" {
      bits = "3"
      doc  = "Can reduce."
    }
    field "compression" {
      bits = "4"
      doc  = "Can convert between element types."
    }
    field "kernel_streams" {
      bits = "5"
      doc  = "Has kernel streams."
    }
    field "debug" {
      bits = "6"
      doc  = "Has debug logic."
    }
    field "external_dma" {
      bits = "7"
      doc  = "Uses DMA kernels outside."
    }
    field "revision" {
      bits = "31:8"
      doc  = "First 24 bits of the source revision."
    }
  }

  enum "rx_status" {
    doc = "State of an rx buffer."
    value "idle" {
      is  = 0
      doc = "Not in use."
    }
    value "enqueued" {
      is  = 1
      doc = "Posted, waiting for a message."
    }
    value "reserved" {
      is  = 2
      doc = "Holds a message that nobody has asked for yet."
    }
    value "error" {
      is  = 4
      doc = "Receiving into it failed."
    }
  }

  memory "exchange" {
    doc = "Memory that host and control processor share: buffers, communicators, configurations and status."

    word "return_code" {
      doc = "Return code of the last call (bit set return_code)."
    }
    word "hardware_id" {
      doc = "What the engine was built with (layout hardware_id)."
    }

    table "rx_buffers" {
      doc = "Rx buffers. The count is written last: non-zero says that the table is valid."
      docs = {
        count   = "Number of buffers; written last."
        size    = "Bytes of each buffer."
        status  = "State (enum rx_status)."
        addrl   = "Address, bits 31:0."
        addrh   = "Address, bits 63:32."
        max_len = "Bytes of the buffer."
        dma_tag = "Tag of the DMA command that fills the buffer."
        rx_tag  = "Tag of the message in it."
        rx_len  = "Bytes of the message in it."
        rx_src  = "Sender of the message in it."
        seq     = "Sequence number of the message in it."
      }
    }
    table "communicators" {
      after  = "rx_buffers"
      doc    = "Communicators, one after another: who takes part in a call."
      header = ["size", "local_rank"]
      record = ["ip", "port", "inbound_seq", "outbound_seq", "session", "max_segment_len"]
      docs = {
        size            = "Number of ranks."
        local_rank      = "Index of this engine's rank."
        ip              = "IPv4 address of the rank."
        port            = "UDP or TCP port of the rank."
        inbound_seq     = "Sequence number expected next from the rank; kept by the engine."
        outbound_seq    = "Sequence number sent next to the rank; kept by the engine."
        session         = "TCP session, RDMA queue pair or UDP socket index of the rank."
        max_segment_len = "Bytes of payload at which messages to the rank are cut."
      }
    }
    table "arithmetic_configurations" {
      after = "communicators"
      doc   = "Arithmetic configurations, one after another: element sizes, and the TDEST of each plugin function."
      header = [
        "uncompressed_bytes", "compressed_bytes", "elem_ratio_log", "compressor_tdest",
        "decompressor_tdest", "nfunctions", "arith_is_compressed",
      ]
      record = ["tdest"]
      docs = {
        uncompressed_bytes  = "Bytes of an uncompressed element."
        compressed_bytes    = "Bytes of a compressed element."
        elem_ratio_log      = "Log2 of how many elements make one compressed element."
        compressor_tdest    = "TDEST that compresses."
        decompressor_tdest  = "TDEST that decompresses."
        nfunctions          = "Number of reduction functions, each with a record."
        arith_is_compressed = "1 if arithmetic is done on compressed elements."
        tdest               = "TDEST of the reduction function."
      }
    }
  }
}
