# What all generations share. Numbers that differ stand in the files of the
# generations, or in before-2024.hcl and since-2022.hcl for pairs of them.

locals {
  beat_bytes       = 64
  max_packet_bytes = 4096
}

abi "common" {
  abstract = true

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
  constant "reset_milliseconds" {
    is  = 100
    doc = "reset_periph answers at the latest after this time."
  }

  enum "operation" {
    doc = "What a call asks for (its first word, scenario)."
    value "config" {
      is  = 0
      doc = "Housekeeping; the call's function says which."
    }
    value "copy" {
      is  = 1
      doc = "Copies operand 0 to the result."
    }
    value "combine" {
      is  = 2
      doc = "Reduces operands 0 and 1, element by element, to the result."
    }
    value "send" {
      is  = 3
      doc = "Sends operand 0 to a rank, or puts it to that rank's kernel stream."
    }
    value "recv" {
      is  = 4
      doc = "Receives a message of a rank into the result."
    }
    value "bcast" {
      is  = 5
      doc = "Sends operand 0 of the root to operand 0 of all ranks."
    }
    value "scatter" {
      is  = 6
      doc = "Sends block i of the root's operand 0 to the result of rank i."
    }
    value "gather" {
      is  = 7
      doc = "Collects operand 0 of rank i as block i of the root's result."
    }
    value "reduce" {
      is  = 8
      doc = "Reduces operand 0 of all ranks to the root's result."
    }
    value "allgather" {
      is  = 9
      doc = "Collects operand 0 of rank i as block i of every rank's result."
    }
    value "allreduce" {
      is  = 10
      doc = "Reduces operand 0 of all ranks to every rank's result."
    }
    value "reduce_scatter" {
      is  = 11
      doc = "Reduces block i of all ranks' operand 0 to the result of rank i."
    }
    value "nop" {
      is  = 255
      doc = "Answers at once; touches no memory."
    }
  }

  enum "config_function" {
    doc = "The function of a config call."
    value "reset_periph" {
      is  = 0
      doc = "Answers every pending call, stops the engine and invalidates its configuration."
    }
    value "enable_pkt" {
      is  = 1
      doc = "Takes over the configuration and starts the network engines."
    }
    value "set_timeout" {
      is  = 2
      doc = "Sets the limit of waits inside the engine to count cycles."
    }
  }

  enum "reduce_function" {
    doc = "The function of a call that reduces."
    value "sum" {
      is  = 0
      doc = "Sum of the elements."
    }
    value "max" {
      is  = 1
      doc = "Larger element; IEEE 754-2019 maximum for floating point."
    }
  }

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

  enum "message_type" {
    doc = "What a message is."
    value "eager" {
      is  = 0
      doc = "Payload that is received into rx buffers."
    }
  }

  bits "compression_flags" {
    doc = "Which operands of a call are compressed; 0 for none."
    bit "op0" {
      at  = 0
      doc = "Operand 0 is compressed."
    }
    bit "op1" {
      at  = 1
      doc = "Operand 1 is compressed."
    }
    bit "res" {
      at  = 2
      doc = "The result is to be compressed."
    }
    bit "eth" {
      at  = 3
      doc = "What goes over the network is compressed."
    }
  }

  bits "stream_flags" {
    doc = "Which operands of a call are kernel streams; 0 for none."
    bit "op0" {
      at  = 0
      doc = "Operand 0 comes from the kernel stream."
    }
    bit "res" {
      at  = 1
      doc = "The result goes to the kernel stream."
    }
  }

  layout "stream_word" {
    width = 32
    doc   = "The call's word stream_flags."
    field "stream" {
      bits = "7:0"
      doc  = "Bit set stream_flags."
    }
  }

  bits "return_code" {
    doc = "Answer to a call; 0 for success."
    bit "DMA_MISMATCH" {
      at  = 0
      doc = "The status of a DMA transfer belongs to another command."
    }
    bit "DMA_INTERNAL" {
      at  = 1
      doc = "A DMA engine reported an internal error, for example a command for 0 bytes."
    }
    bit "DMA_DECODE" {
      at  = 2
      doc = "A DMA engine found no memory at the address."
    }
    bit "DMA_SLAVE" {
      at  = 3
      doc = "The memory answered a DMA transfer with an error."
    }
    bit "DMA_NOT_OKAY" {
      at  = 4
      doc = "A DMA transfer ended without being reported as good."
    }
    bit "DMA_NOT_END_OF_PACKET" {
      at  = 5
      doc = "A DMA write ended before the end of its packet."
    }
    bit "DMA_NOT_EXPECTED_BTT" {
      at  = 6
      doc = "A DMA transfer moved another number of bytes than asked for."
    }
    bit "DMA_TIMEOUT" {
      at  = 7
      doc = "A DMA transfer did not end within the limit."
    }
    bit "CONFIG_SWITCH" {
      at  = 8
      doc = "The data path could not be set up."
    }
    bit "DEQUEUE_BUFFER_TIMEOUT" {
      at  = 9
      doc = "No rx buffer was filled or freed within the limit."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_STATUS" {
      at  = 10
      doc = "A filled rx buffer is not in the state it should be in."
    }
    bit "RECEIVE_TIMEOUT" {
      at  = 11
      doc = "No message of the remote rank came within the limit."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_DMATAG_MISMATCH" {
      at  = 12
      doc = "A filled rx buffer does not belong to the DMA transfer that filled it."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_INDEX" {
      at  = 13
      doc = "A filled rx buffer has an index outside the table."
    }
    bit "COLLECTIVE_NOT_IMPLEMENTED" {
      at  = 14
      doc = "The call's operation or function does not exist, or the engine was built without it."
    }
    bit "RECEIVE_OFFCHIP_SPARE_BUFF_ID_NOT_VALID" {
      at  = 15
      doc = "A message was matched to an rx buffer that does not exist."
    }
    bit "DMA_SIZE" {
      at  = 18
      doc = "A transfer is larger than a DMA engine or its buffer allows."
    }
    bit "ARITH" {
      at  = 19
      doc = "The reduction function does not exist, or arithmetic failed."
    }
    bit "PACK_TIMEOUT_STS" {
      at  = 20
      doc = "The packetizer did not report a message as sent within the limit."
    }
    bit "PACK_SEQ_NUMBER" {
      at  = 21
      doc = "The packetizer sent another sequence number than asked for."
    }
    bit "COMPRESSION" {
      at  = 22
      doc = "The conversion does not exist, or compression failed."
    }
    bit "KRNL_TIMEOUT_STS" {
      at  = 23
      doc = "The kernel stream did not deliver or take the data within the limit."
    }
    bit "KRNL_STS_COUNT" {
      at  = 24
      doc = "The kernel stream moved another amount than asked for."
    }
    bit "SEGMENTER_EXPECTED_BTT" {
      at  = 25
      doc = "A segment has another number of bytes than asked for."
    }
    bit "DMA_TAG_MISMATCH" {
      at  = 26
      doc = "The status of a DMA transfer has another tag than its command."
    }
    bit "NOT_READY" {
      at       = 31
      internal = true
      doc      = "The call is parked and retried; hosts see this only for calls that a reset dropped."
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
      doc  = "Hash of the communicator that all members compute alike; 0 from engines that do not know it, matches any."
    }
  }

  record "call" {
    doc = "A call, word by word; it is answered by one word, the return code."
    words = [
      "scenario", "count", "comm", "root_src_dst", "function_code", "tag", "arithcfg",
      "compression_flags", "stream_flags",
      "addr_0_low", "addr_0_high", "addr_1_low", "addr_1_high", "addr_2_low", "addr_2_high",
    ]
    docs = {
      scenario          = "Operation (enum operation)."
      count             = "Elements, uncompressed: of the whole buffer, or of one rank's block for scatter, gather, allgather, reduce_scatter and alltoall."
      comm              = "Address of the communicator in the exchange memory."
      root_src_dst      = "Root, source rank or destination rank."
      function_code     = "Reduction function, or config function for config."
      tag               = "Message tag, or tag_any."
      arithcfg          = "Address of the arithmetic configuration in the exchange memory."
      compression_flags = "Bit set compression_flags."
      stream_flags      = "Layout stream_word."
      addr_0_low        = "Address of operand 0, bits 31:0."
      addr_0_high       = "Address of operand 0, bits 63:32."
      addr_1_low        = "Address of operand 1, bits 31:0."
      addr_1_high       = "Address of operand 1, bits 63:32."
      addr_2_low        = "Address of the result, bits 31:0."
      addr_2_high       = "Address of the result, bits 63:32."
    }
  }

  bits "hostctrl_control" {
    doc = "Control register of a kernel called by ap_ctrl_hs."
    bit "start" {
      at  = 0
      doc = "Write 1 to start; reads 1 until the arguments were taken."
    }
    bit "done" {
      at  = 1
      doc = "The call has ended; cleared by reading."
    }
    bit "idle" {
      at  = 2
      doc = "No call is running."
    }
    bit "ready" {
      at  = 3
      doc = "The arguments were taken; cleared by reading."
    }
    bit "auto_restart" {
      at  = 7
      doc = "Starts again by itself; leave 0."
    }
  }

  registers "hostctrl" {
    doc = "Registers by which the host places a call."
    register "control" {
      at  = hex("00")
      doc = "Bit set hostctrl_control."
    }
    register "scenario" {
      at  = hex("10")
      doc = "Operation (enum operation)."
    }
    register "count" {
      at  = hex("18")
      doc = "Elements, uncompressed."
    }
    register "comm" {
      at  = hex("20")
      doc = "Address of the communicator in the exchange memory."
    }
    register "root_src_dst" {
      at  = hex("28")
      doc = "Root, source rank or destination rank."
    }
    register "function_code" {
      at  = hex("30")
      doc = "Reduction function, or config function for config."
    }
    register "tag" {
      at  = hex("38")
      doc = "Message tag, or tag_any."
    }
    register "arithcfg" {
      at  = hex("40")
      doc = "Address of the arithmetic configuration in the exchange memory."
    }
    register "compression_flags" {
      at  = hex("48")
      doc = "Bit set compression_flags."
    }
    register "stream_flags" {
      at  = hex("50")
      doc = "Layout stream_word."
    }
    register "addr_0" {
      at    = hex("58")
      width = 64
      doc   = "Address of operand 0."
    }
    register "addr_1" {
      at    = hex("64")
      width = 64
      doc   = "Address of operand 1."
    }
    register "addr_2" {
      at    = hex("70")
      width = 64
      doc   = "Address of the result."
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
