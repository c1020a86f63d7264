# Moves: all that the data plane does. A move has up to two operands and a
# result; two operands are reduced. Its registers keep what was last written,
# addresses step on by themselves, and writing the control word issues the
# move: a step of a ring is mostly that one store.
#
# There are several queues of moves. Moves of one queue start in order and may
# overlap; those of different queues run side by side where they use different
# channels, and one that waits for a message holds up its own queue only.
#
# The engine reads the communicator itself: who a rank is, how it is reached,
# and which sequence number comes next; it counts those up in place.

locals {
  queues = 4
}

abi "moves" {
  abstract = true

  constant "move_queues" {
    is  = local.queues
    doc = "Queues of moves."
  }
  constant "move_queue_depth" {
    is  = 8
    doc = "Moves that each queue holds."
  }

  enum "move_operand" {
    doc = "Where an operand comes from."
    value "none" {
      is  = 0
      doc = "There is no such operand."
    }
    value "memory" {
      is  = 1
      doc = "Memory at the operand's address."
    }
    value "kernel_stream" {
      is  = 2
      doc = "The kernel stream; its TLAST is ignored."
    }
    value "message" {
      is  = 3
      doc = "The next eager messages of the source with the tag, as many as make up the bytes; one operand at most. Without bytes: one message without payload."
    }
  }

  enum "move_result" {
    doc = "Where the result goes."
    value "none" {
      is  = 0
      doc = "Nowhere: operands are only taken."
    }
    value "memory" {
      is  = 1
      doc = "Memory at the result's address."
    }
    value "kernel_stream" {
      is  = 2
      doc = "The kernel stream, with the kernel TDEST."
    }
    value "network" {
      is  = 3
      doc = "Messages to the destination. Without bytes: a header alone."
    }
    value "memory_and_network" {
      is  = 4
      doc = "Memory, and messages to the destination, in one pass."
    }
    value "kernel_stream_and_network" {
      is  = 5
      doc = "The kernel stream, and messages to the destination, in one pass."
    }
    value "apart" {
      is  = 6
      doc = "Operand 0 becomes messages to the destination, operand 1 goes to memory at the result's address, in one pass; what operand 1 becomes is its inner form."
    }
    value "beside" {
      is  = 7
      doc = "Both operands are reduced to memory at the result's address, and operand 2, uncompressed in device memory, becomes messages to the destination in the operands' inner form, in one pass. No kernel streams; where the inner form is compressed, operand 1 is, too."
    }
  }

  enum "move_step" {
    doc = "What becomes of an address when the move has been issued."
    value "repeat" {
      is  = 0
      doc = "It stays."
    }
    value "advance" {
      is  = 1
      doc = "It advances by the bytes of the operand or result."
    }
    value "stride" {
      is  = 2
      doc = "It advances by the stride, which may be negative."
    }
  }

  layout "move_control" {
    width = 32
    doc   = "Control word of a move. Conversions follow from it: what is not in the inner form is converted on its way."
    field "op0" {
      bits = "2:0"
      doc  = "Operand 0 (enum move_operand)."
    }
    field "op1" {
      bits = "5:3"
      doc  = "Operand 1 (enum move_operand); if there is one, the operands are reduced, unless the result is apart."
    }
    field "result" {
      bits = "8:6"
      doc  = "Result (enum move_result)."
    }
    field "op0_step" {
      bits = "10:9"
      doc  = "Enum move_step."
    }
    field "op1_step" {
      bits = "12:11"
      doc  = "Enum move_step."
    }
    field "result_step" {
      bits = "14:13"
      doc  = "Enum move_step."
    }
    field "op0_compressed" {
      bits = "15"
      doc  = "Operand 0 is compressed, where it comes from."
    }
    field "op1_compressed" {
      bits = "16"
      doc  = "Operand 1 is compressed, where it comes from."
    }
    field "inner_compressed" {
      bits = "17"
      doc  = "Operands meet, and are reduced, in compressed form."
    }
    field "result_compressed" {
      bits = "18"
      doc  = "The result is compressed in memory or on the kernel stream."
    }
    field "network_compressed" {
      bits = "19"
      doc  = "The result is compressed on the network."
    }
    field "op0_host" {
      bits = "20"
      doc  = "Operand 0 lies in host memory."
    }
    field "op1_host" {
      bits = "21"
      doc  = "Operand 1 lies in host memory."
    }
    field "result_host" {
      bits = "22"
      doc  = "The result goes to host memory."
    }
    field "fence" {
      bits = "23"
      doc  = "Starts only when all earlier moves of the queue have completed and memory holds their results."
    }
    field "queue" {
      bits = "25:24"
      doc  = "Queue of the move."
    }
    field "keeps" {
      bits = "30"
      doc  = "Of a result that is apart: operand 0 goes to device memory at the kept address, too, in its inner form, by the port by which messages arrive."
    }
    field "notice" {
      bits = "31"
      doc  = "The result on the network is a notice: a header alone, without a sequence number. Such a move has no bytes."
    }
  }

  layout "move_tdest" {
    width = 32
    doc   = "TDESTs of a move."
    field "compressor" {
      bits = "3:0"
      doc  = "Conversion to the compressed form."
    }
    field "decompressor" {
      bits = "7:4"
      doc  = "Conversion from the compressed form."
    }
    field "reduction" {
      bits = "15:8"
      doc  = "Function of the reduction."
    }
    field "kernel" {
      bits = "23:16"
      doc  = "TDEST of a result on the kernel stream."
    }
  }

  registers "move" {
    base = hex("20200")
    doc  = "The move to be issued."
    register "control" {
      at     = hex("00")
      access = "wo"
      doc    = "Issues the move (layout move_control). Without room in its queue the queue fails with CONFIG_SWITCH."
    }
    register "bytes" {
      at  = hex("04")
      doc = "Bytes of the uncompressed form."
    }
    register "compressed_bytes" {
      at  = hex("08")
      doc = "Bytes of the compressed form; needed if anything is compressed."
    }
    register "tdest" {
      at  = hex("0C")
      doc = "Layout move_tdest."
    }
    register "op0_address" {
      at    = hex("10")
      width = 64
      doc   = "Address of operand 0."
    }
    register "op1_address" {
      at    = hex("18")
      width = 64
      doc   = "Address of operand 1."
    }
    register "result_address" {
      at    = hex("20")
      width = 64
      doc   = "Address of the result."
    }
    register "op0_stride" {
      at    = hex("28")
      width = 64
      doc   = "Signed bytes by which op0_address strides."
    }
    register "op1_stride" {
      at    = hex("30")
      width = 64
      doc   = "Signed bytes by which op1_address strides."
    }
    register "result_stride" {
      at    = hex("38")
      width = 64
      doc   = "Signed bytes by which result_address strides."
    }
    register "comm" {
      at  = hex("40")
      doc = "Communicator that ranks belong to, as the host's byte offset in the exchange memory."
    }
    register "source" {
      at  = hex("44")
      doc = "Rank of the sender, for an operand that is a message or a window."
    }
    register "destination" {
      at  = hex("48")
      doc = "Rank of the receiver, for a result on the network."
    }
    register "comm_context" {
      at  = hex("4C")
      doc = "Context of the communicator, as headers carry it and messages are matched by."
    }
    register "tag" {
      at  = hex("50")
      doc = "Tag that is sent and matched; tag_any matches every tag."
    }
    register "chunk_bytes" {
      at  = hex("54")
      doc = "An eager result on the network is cut into chunks of this many bytes on the wire; 0 for one chunk."
    }
    register "segment_bytes" {
      at  = hex("58")
      doc = "Each chunk is cut into segments of at most this many bytes on the wire, each a message of its own."
    }
    register "strm" {
      at  = hex("5C")
      doc = "The header's strm: 0, or that of a put to the remote kernel stream."
    }
    register "op2_address" {
      at    = hex("78")
      width = 64
      doc   = "Address of what is sent beside a reduction."
    }
    register "kept_address" {
      at    = hex("80")
      width = 64
      doc   = "Where what is sent is kept."
    }
    register "collective_number" {
      at  = hex("88")
      doc = "Number of the collective, as headers carry it where comm_context is odd. A message from before the ranks' last agreement (by the upper half of the number) is dropped when it is found; one of another number, count or shape ends the move with COLLECTIVE_MISMATCH."
    }
    register "collective_count" {
      at  = hex("8C")
      doc = "The count of the collective's call, as headers carry it where comm_context is odd."
    }
    register "collective_shape" {
      at  = hex("90")
      doc = "Layout collective_shape, as headers carry it where comm_context is odd."
    }
  }

  layout "move_room" {
    width = 32
    doc   = "How many more moves each queue takes."
    field "queue_0" {
      bits = "7:0"
      doc  = "Room in queue 0."
    }
    field "queue_1" {
      bits = "15:8"
      doc  = "Room in queue 1."
    }
    field "queue_2" {
      bits = "23:16"
      doc  = "Room in queue 2."
    }
    field "queue_3" {
      bits = "31:24"
      doc  = "Room in queue 3."
    }
  }
  layout "move_state" {
    width = 32
    doc   = "What queues are doing: a bit for each."
    field "busy" {
      bits = "3:0"
      doc  = "Moves of the queue have not ended."
    }
    field "failed" {
      bits = "7:4"
      doc  = "The queue has an error."
    }
  }
  registers "move_status" {
    base = hex("20300")
    doc  = "What became of moves. When one fails, its queue drops all later ones until its error is cleared."
    register "room" {
      at     = hex("00")
      access = "ro"
      doc    = "Layout move_room."
    }
    register "abort" {
      at     = hex("04")
      access = "wo"
      doc    = "A bit for each queue: drops its moves that have not started, and one that waits for a message, a window or a remote rank."
    }
    register "state" {
      at     = hex("08")
      access = "ro"
      doc    = "Layout move_state."
    }
    register "completed_0" {
      at     = hex("10")
      access = "ro"
      doc    = "Moves of queue 0 that have completed, failed or been dropped, wrapping around."
    }
    register "error_0" {
      at  = hex("14")
      doc = "Bits of the return code that moves of queue 0 failed with; any write clears."
    }
    register "completed_1" {
      at     = hex("18")
      access = "ro"
      doc    = "As completed_0, of queue 1."
    }
    register "error_1" {
      at  = hex("1C")
      doc = "As error_0, of queue 1."
    }
    register "completed_2" {
      at     = hex("20")
      access = "ro"
      doc    = "As completed_0, of queue 2."
    }
    register "error_2" {
      at  = hex("24")
      doc = "As error_0, of queue 2."
    }
    register "completed_3" {
      at     = hex("28")
      access = "ro"
      doc    = "As completed_0, of queue 3."
    }
    register "error_3" {
      at  = hex("2C")
      doc = "As error_0, of queue 3."
    }
    register "failed_source_0" {
      at     = hex("30")
      access = "ro"
      doc    = "Source of the move of queue 0 that failed last."
    }
    register "failed_tag_0" {
      at     = hex("34")
      access = "ro"
      doc    = "Tag of that move."
    }
    register "failed_bytes_0" {
      at     = hex("38")
      access = "ro"
      doc    = "Bytes of that move in their uncompressed form."
    }
    register "failed_source_1" {
      at     = hex("3C")
      access = "ro"
      doc    = "As failed_source_0, of queue 1."
    }
    register "failed_tag_1" {
      at     = hex("40")
      access = "ro"
      doc    = "As failed_tag_0, of queue 1."
    }
    register "failed_bytes_1" {
      at     = hex("44")
      access = "ro"
      doc    = "As failed_bytes_0, of queue 1."
    }
    register "failed_source_2" {
      at     = hex("48")
      access = "ro"
      doc    = "As failed_source_0, of queue 2."
    }
    register "failed_tag_2" {
      at     = hex("4C")
      access = "ro"
      doc    = "As failed_tag_0, of queue 2."
    }
    register "failed_bytes_2" {
      at     = hex("50")
      access = "ro"
      doc    = "As failed_bytes_0, of queue 2."
    }
    register "failed_source_3" {
      at     = hex("54")
      access = "ro"
      doc    = "As failed_source_0, of queue 3."
    }
    register "failed_tag_3" {
      at     = hex("58")
      access = "ro"
      doc    = "As failed_tag_0, of queue 3."
    }
    register "failed_bytes_3" {
      at     = hex("5C")
      access = "ro"
      doc    = "As failed_bytes_0, of queue 3."
    }
  }
}
