# What a host reads of an engine whose processor may have halted: words of the
# exchange memory that are registers of the hardware.

abi "inspection" {
  abstract = true

  constant "inspection_magic" {
    is  = hex("4F4C4343")
    doc = "First word of the inspection: CCLO in ASCII. Without it the engine has none."
  }
  constant "inspection_version" {
    is  = 3
    doc = "Of the record inspection."
  }
  constant "inspection_restart" {
    is  = hex("52535452")
    doc = "Written to the word control, it resets the control processor alone."
  }

  layout "inspection_state" {
    width = 32
    doc   = "What the control processor does, and what the engine can say."
    field "halted" {
      bits = "0"
      doc  = "A trap has halted it, until its next reset."
    }
    field "asleep" {
      bits = "1"
      doc  = "It waits for an event or a call."
    }
    field "started" {
      bits = "2"
      doc  = "It has asked for an event or a call since its last reset."
    }
    field "restarting" {
      bits = "3"
      doc  = "It is held in reset by the word control."
    }
    field "counts" {
      bits = "4"
      doc  = "The engine counts what it does: records stalls, queues, remotes and counters are there."
    }
    field "cause" {
      bits = "11:8"
      doc  = "Why it has halted, as RISC-V numbers exceptions (enum trap_cause)."
    }
  }
  enum "trap_cause" {
    doc = "Why the control processor has halted."
    value "misaligned_fetch" {
      is  = 0
      doc = "Jump to an address that is no word's."
    }
    value "unmapped_fetch" {
      is  = 1
      doc = "Instruction outside the local RAM."
    }
    value "illegal_instruction" {
      is  = 2
      doc = "No instruction of RV32IM."
    }
    value "breakpoint" {
      is  = 3
      doc = "ebreak: firmware has found a mistake of its own, such as a stack that is full."
    }
    value "misaligned_load" {
      is  = 4
      doc = "Load that crosses its size."
    }
    value "unmapped_load" {
      is  = 5
      doc = "Load from where nothing is, or that a register refuses."
    }
    value "misaligned_store" {
      is  = 6
      doc = "Store that crosses its size."
    }
    value "unmapped_store" {
      is  = 7
      doc = "Store to where nothing is, or that a register refuses."
    }
    value "environment_call" {
      is  = 11
      doc = "ecall."
    }
  }

  record "inspection" {
    doc = "Registers of the hardware, which the host reads whatever the control processor does. Writes other than to control and detail are ignored."
    words = [
      "magic", "version", "design_hash", "firmware_hash", "state", "pc", "instruction", "address", "heartbeat", "cycles",
      "control", "restarts", "refused", "given_up", "given_up_session", "detail",
    ]
    docs = {
      magic            = "Constant inspection_magic."
      version          = "Constant inspection_version."
      design_hash      = "First 32 bits of the SHA-256 of what the design says of its engines."
      firmware_hash    = "First 32 bits of the SHA-256 of the control firmware, which it has written itself; 0 if it has not begun."
      state            = "Layout inspection_state."
      pc               = "Address of the instruction that has trapped or, while the processor runs, of the last one executed."
      instruction      = "That instruction, if the processor has halted and its address is one of the local RAM."
      address          = "What the trap was about: the address of the access, or of the jump."
      heartbeat        = "How often the processor has been given an event or a call. Stands while it is asleep, halted, or in a loop."
      cycles           = "Clock cycles since power-up, lower half: the clock is there."
      control          = "Constant inspection_restart restarts the control processor; reads as 0."
      restarts         = "How often control has restarted it."
      refused          = "Transmissions that the network stack has refused; each is tried again until its session is given up."
      given_up         = "Sessions that were given up: the network stack has refused a packet for longer than timers.remote_milliseconds. The next call on such a session ends with PACK_TIMEOUT_STS; a reset, or the end of the session, opens it again."
      given_up_session = "The last of them."
      detail           = "Written: the number of a word of stalls, stalled, queues, remotes, counters, trace or trace_events, counted from the constant detail_ of that name. Read: that word as it was then; 0 if there is none."
    }
  }

  # What is read through the word detail.
  constant "detail_stalls" {
    is  = 0
    doc = "Number of the first word of record stalls: for how many cycles each has stood, up to 2^32 - 1; up to 256 cycles late."
  }
  constant "detail_stalled" {
    is  = 64
    doc = "Of the same words again: cycles in which each has stood, in all, modulo 2^32."
  }
  constant "detail_queues" {
    is  = 128
    doc = "Number of the first word of record queues."
  }
  constant "detail_remotes" {
    is  = 160
    doc = "Number of the first word of record remotes."
  }
  constant "detail_counters" {
    is  = 192
    doc = "Number of the first word of record counters: each counts modulo 2^32 since power-up or reset."
  }

  constant "detail_trace" {
    is  = 256
    doc = "Number of the first word of record trace. While a word from here on is chosen, the trace keeps what it has."
  }
  constant "detail_trace_events" {
    is  = 32768
    doc = "Number of the first word of the trace's entries: 4 for each, of which the last one is 0 (record trace_entry)."
  }

  record "stalls" {
    doc = "What stands: streams that are offered something that is not taken, and what the engine waits for."
    words = [
      "call", "answer", "kernel_in", "kernel_out", "arith_op0", "arith_op1", "arith_res",
      "compression0_operand", "compression0_result", "compression1_operand", "compression1_result",
      "compression2_operand", "compression2_result",
      "op0_command", "op0", "op1_command", "op1", "result_command", "result", "inbound_command", "inbound",
      "eth_tx_data", "eth_tx_meta", "eth_tx_status", "rdma_sq",
      "eth_rx_data", "eth_notification", "eth_read_pkg", "eth_rx_meta", "listen_port", "open_connection",
      "remote_0", "remote_1", "remote_2", "remote_3", "kernel", "packet", "memory", "calls",
    ]
    docs = {
      call                 = "The engine takes no further call: its queue is full."
      answer               = "The host, or the kernel that called, does not take the answer of a call."
      kernel_in            = "The engine does not take what the user kernel offers (s_axis_krnl): no call asks for it."
      kernel_out           = "The user kernel does not take what the engine offers (m_axis_krnl)."
      arith_op0            = "The arithmetic plugin does not take operand 0 (m_axis_arith_op0)."
      arith_op1            = "The arithmetic plugin does not take operand 1 (m_axis_arith_op1)."
      arith_res            = "The engine does not take what the arithmetic plugin offers (s_axis_arith_res)."
      compression0_operand = "Compression lane 0 does not take its operand (m_axis_compression0)."
      compression0_result  = "The engine does not take what compression lane 0 offers (s_axis_compression0)."
      compression1_operand = "Compression lane 1 does not take its operand (m_axis_compression1)."
      compression1_result  = "The engine does not take what compression lane 1 offers (s_axis_compression1)."
      compression2_operand = "Compression lane 2 does not take its operand (m_axis_compression2)."
      compression2_result  = "The engine does not take what compression lane 2 offers (s_axis_compression2)."
      op0_command          = "The DMA engine of operand 0 does not take a read command."
      op0                  = "The engine does not take what it has read of operand 0."
      op1_command          = "The DMA engine of operand 1 does not take a read command."
      op1                  = "The engine does not take what it has read of operand 1."
      result_command       = "The DMA engine of results does not take a write command."
      result               = "The DMA engine of results does not take data."
      inbound_command      = "The DMA engine of received messages does not take a write command."
      inbound              = "The DMA engine of received messages does not take data."
      eth_tx_data          = "The network does not take packets (m_axis_eth_tx_data)."
      eth_tx_meta          = "The TCP stack does not take a request to send (m_axis_eth_tx_meta)."
      eth_tx_status        = "The engine does not take the TCP stack's answer to a request to send."
      rdma_sq              = "The RDMA stack does not take a work request (m_axis_rdma_sq)."
      eth_rx_data          = "The engine does not take packets from the network (s_axis_eth_rx_data)."
      eth_notification     = "The engine does not take notifications of the network: its packet slots are in use."
      eth_read_pkg         = "The TCP stack does not take a request to read (m_axis_eth_read_pkg)."
      eth_rx_meta          = "The engine does not take the session of what the TCP stack delivers."
      listen_port          = "The TCP stack does not take a request to listen."
      open_connection      = "The TCP stack does not take a request to connect."
      remote_0             = "The move in front of queue 0 waits for a message or for data of a remote rank."
      remote_1             = "The move in front of queue 1 waits for a message or for data of a remote rank."
      remote_2             = "The move in front of queue 2 waits for a message or for data of a remote rank."
      remote_3             = "The move in front of queue 3 waits for a message or for data of a remote rank."
      kernel               = "A move waits for the user kernel: for its data, or for room in the stream to it."
      packet               = "A move waits for a packet slot: packets to its session are not sent."
      memory               = "Slices or received packets are under way, and no stream of a DMA engine moves."
      calls                = "Calls are under way, and none was taken or answered."
    }
  }

  layout "queue_level" {
    width = 32
    doc   = "How full a queue is."
    field "used" {
      bits = "9:0"
      doc  = "Entries in use."
    }
    field "most" {
      bits = "19:10"
      doc  = "The most at a time since power-up or reset."
    }
    field "capacity" {
      bits = "29:20"
      doc  = "Entries that there are."
    }
    field "full" {
      bits = "30"
      doc  = "No more go in: the last rx buffer is kept for a message that is waited for, where messages are not lost."
    }
  }
  record "queues" {
    doc   = "Queues of the engine (layout queue_level)."
    words = ["rx_buffers", "tx_packets", "rx_packets", "calls", "notices", "moves_0", "moves_1", "moves_2", "moves_3"]
    docs = {
      rx_buffers = "Rx buffers that hold a message, or receive one."
      tx_packets = "Packet slots of what is to be sent."
      rx_packets = "Packet slots of what has come."
      calls      = "Calls that wait for the control processor."
      notices    = "Notices of remote ranks that wait for the control processor."
      moves_0    = "Moves that wait in queue 0."
      moves_1    = "Moves that wait in queue 1."
      moves_2    = "Moves that wait in queue 2."
      moves_3    = "Moves that wait in queue 3."
    }
  }

  layout "remote_wait" {
    width = 32
    doc   = "The remote rank whose message a move waits for."
    field "waits" {
      bits = "31"
      doc  = "It waits for a message."
    }
    field "session" {
      bits = "30:16"
      doc  = "Session of that rank."
    }
    field "rank" {
      bits = "15:0"
      doc  = "That rank, in the communicator of the call."
    }
  }
  record "remotes" {
    doc   = "By queue of moves: whom the move in front waits for (layout remote_wait)."
    words = ["remote_0", "remote_1", "remote_2", "remote_3"]
    docs = {
      remote_0 = "The move in front of queue 0."
      remote_1 = "The move in front of queue 1."
      remote_2 = "The move in front of queue 2."
      remote_3 = "The move in front of queue 3."
    }
  }

  record "counters" {
    doc = "What the engine has done."
    words = [
      "tx_bytes", "rx_bytes", "moves_completed", "tx_packets", "rx_packets",
      "no_buffer", "bad_packet", "stale", "too_large", "no_window", "no_announcement", "held",
      "op0_beats", "op1_beats", "result_beats", "inbound_beats", "kernel_in_beats", "kernel_out_beats",
      "moves_issued", "moves_failed", "slices", "answers", "busy", "asleep", "messages",
    ]
    docs = {
      tx_bytes         = "Bytes sent to the network, with headers."
      rx_bytes         = "Bytes received from the network, with headers and what the stack has added."
      moves_completed  = "Moves completed."
      tx_packets       = "Packets sent to the network."
      rx_packets       = "Packets received from the network."
      no_buffer        = "Packets dropped: no buffer was free, on stacks that lose packets."
      bad_packet       = "Packets dropped: no message of ours, or too large."
      stale            = "Packets dropped: the message has already come."
      too_large        = "Packets dropped: the message is larger than a buffer."
      no_window        = "Packets dropped: their window is not open."
      no_announcement  = "Clear-to-send messages dropped: their table is full."
      held             = "Packets that had to wait for a buffer or for the kernel stream; once for each time that it was tried."
      op0_beats        = "Beats of 64 bytes read as operand 0."
      op1_beats        = "Beats of 64 bytes read as operand 1."
      result_beats     = "Beats of 64 bytes written as results."
      inbound_beats    = "Beats of 64 bytes written of received messages."
      kernel_in_beats  = "Beats of 64 bytes from the user kernel."
      kernel_out_beats = "Beats of 64 bytes to the user kernel."
      moves_issued     = "Moves issued."
      moves_failed     = "Times that a move has failed, with all later ones of its queue."
      slices           = "Slices of moves, which the data path has begun."
      answers          = "Calls answered."
      busy             = "Cycles in which the control processor has worked."
      asleep           = "Cycles in which it has waited for an event or a call."
      messages         = "Eager messages that have begun to come in."
    }
  }

  # The trace: a ring of events with the cycles in which they were.
  record "trace" {
    doc   = "State of the trace. It keeps what it has while the control processor is halted, and while it is read."
    words = ["capacity", "written", "lost"]
    docs = {
      capacity = "Events that it holds: the last ones; 0 if the engine has no trace."
      written  = "Events written since power-up or reset, modulo 2^32. Event n is entry n modulo capacity."
      lost     = "Events that were not written, modulo 2^32: several of a kind at once, or while the trace kept what it had."
    }
  }
  record "trace_entry" {
    doc   = "An entry of the trace."
    words = ["cycles", "argument", "kind"]
    docs = {
      cycles   = "The word cycles of the inspection, a few cycles after the event."
      argument = "What the event was about: fields as they are described under trace_ and the name of the event; 0 if it has none."
      kind     = "Layout trace_event."
    }
  }
  layout "trace_event" {
    width = 32
    doc   = "What an entry of the trace is."
    field "number" {
      bits = "4:0"
      doc  = "Number of the event in record trace_events."
    }
    field "after_loss" {
      bits = "5"
      doc  = "Events were lost before this one."
    }
  }
  record "trace_events" {
    doc = "Events of the trace."
    words = [
      "call_taken", "call_answered", "move_issued", "moves_completed", "moves_failed",
      "message_opened", "message_stored", "message_delivered", "window_opened", "announcement_arrived", "done_arrived",
      "packet_sent", "packet_arrived", "packet_held", "packet_dropped", "rx_buffers_full",
      "transmission_refused", "session_given_up", "session_closed", "processor_halted", "processor_restarted",
      "slice_begun",
    ]
    docs = {
      call_taken           = "The control processor has taken a call."
      call_answered        = "A call was answered."
      move_issued          = "The control processor has issued a move."
      moves_completed      = "Moves have completed."
      moves_failed         = "Moves have failed, or were dropped at a reset, with all later ones of their queue."
      message_opened       = "A message has begun to come in."
      message_stored       = "All of a message is in its rx buffer."
      message_delivered    = "All of a message is in the buffer of the receive that waited for it."
      window_opened        = "A window for a rendezvous was opened."
      announcement_arrived = "A remote rank has announced a buffer (clear-to-send)."
      done_arrived         = "A remote rank has said that it has written all (done message)."
      packet_sent          = "A packet went to the network."
      packet_arrived       = "A packet, or a further message in it, was taken in or dropped."
      packet_held          = "A packet waits for a buffer, or for the kernel stream."
      packet_dropped       = "A packet, or a message in it, was dropped."
      rx_buffers_full      = "No rx buffer is free any more, or the last one is kept."
      transmission_refused = "The network stack has refused a packet; it is tried again."
      session_given_up     = "A session was given up: the stack has refused a packet for too long."
      session_closed       = "The network stack has closed a session."
      processor_halted     = "A trap has halted the control processor."
      processor_restarted  = "The host has restarted the control processor."
      slice_begun          = "The data path has begun a slice of a move: DMA engines have commands, and plugins are called. Receives whose messages go to their buffers as they come have none."
    }
  }
  layout "trace_call_taken" {
    width = 32
    doc   = "Of the event call_taken."
    field "operation" {
      bits = "23:0"
      doc  = "Operation of the call."
    }
  }
  layout "trace_call_answered" {
    width = 32
    doc   = "Of the event call_answered: as layout call_answer."
    field "return_code" {
      bits = "27:0"
      doc  = "Bits of the return code."
    }
    field "client" {
      bits = "30:28"
      doc  = "Number of the client."
    }
    field "not_ready" {
      bits = "31"
      doc  = "Bit of the return code: the call was dropped."
    }
  }
  layout "trace_move_issued" {
    width = 32
    doc   = "Of the event move_issued."
    field "op0" {
      bits = "2:0"
      doc  = "Enum move_operand."
    }
    field "op1" {
      bits = "5:3"
      doc  = "Enum move_operand."
    }
    field "result" {
      bits = "8:6"
      doc  = "Enum move_result."
    }
    field "queue" {
      bits = "10:9"
      doc  = "Its queue."
    }
    field "source" {
      bits = "20:11"
      doc  = "Rank whose messages it takes, if it does."
    }
    field "destination" {
      bits = "30:21"
      doc  = "Rank to which it sends, if it does."
    }
  }
  layout "trace_moves_completed" {
    width = 32
    doc   = "Of the event moves_completed."
    field "queues" {
      bits = "3:0"
      doc  = "Queues of the moves, a bit each."
    }
    field "rx_buffers" {
      bits = "19:4"
      doc  = "Rx buffers in use."
    }
  }
  layout "trace_moves_failed" {
    width = 32
    doc   = "Of the event moves_failed."
    field "queues" {
      bits = "3:0"
      doc  = "Queues of the moves, a bit each."
    }
  }
  layout "trace_message_opened" {
    width = 32
    doc   = "Of the event message_opened."
    field "rank" {
      bits = "15:0"
      doc  = "Rank that has sent it."
    }
    field "buffer" {
      bits = "23:16"
      doc  = "Rx buffer that it goes to; none if it has no bytes."
    }
    field "delivered" {
      bits = "24"
      doc  = "It goes to the buffer of a receive that waits for it."
    }
  }
  layout "trace_message_stored" {
    width = 32
    doc   = "Of the event message_stored."
    field "buffer" {
      bits = "7:0"
      doc  = "Rx buffer."
    }
    field "failed" {
      bits = "8"
      doc  = "Its bytes could not be written, or its session has closed."
    }
    field "rx_buffers" {
      bits = "24:9"
      doc  = "Rx buffers in use."
    }
  }
  layout "trace_message_delivered" {
    width = 32
    doc   = "Of the event message_delivered."
    field "failed" {
      bits = "0"
      doc  = "Its bytes could not be written, or its session has closed."
    }
  }
  layout "trace_window_opened" {
    width = 32
    doc   = "Of the event window_opened."
    field "window" {
      bits = "4:0"
      doc  = "Number of the window."
    }
  }
  layout "trace_announcement_arrived" {
    width = 32
    doc   = "Of the event announcement_arrived."
    field "rank" {
      bits = "15:0"
      doc  = "Rank that announces."
    }
  }
  layout "trace_done_arrived" {
    width = 32
    doc   = "Of the event done_arrived."
    field "rank" {
      bits = "15:0"
      doc  = "Rank that has written."
    }
  }
  enum "packet_kind" {
    doc = "What a packet, or a further message in it, begins with."
    value "headless" {
      is  = 0
      doc = "No header: it goes on with a message, begins with a part of a header, is written to memory (RDMA), or is no message of ours."
    }
    value "eager" {
      is  = 1
      doc = "Header of a message of this type, as for the next ones (enum message_type)."
    }
    value "rendezvous_data" {
      is  = 2
      doc = "Its sequence number is the number of the packet in its buffer."
    }
    value "rendezvous_announcement" {
      is  = 3
      doc = "It has a sequence number on UDP."
    }
    value "rendezvous_done" {
      is  = 4
      doc = "It has no sequence number."
    }
    value "notice" {
      is  = 5
      doc = "Header of a notice, which has no sequence number."
    }
    value "filler" {
      is  = 6
      doc = "Header of a filler, which has no sequence number."
    }
  }
  layout "trace_packet_sent" {
    width = 32
    doc   = "Of the event packet_sent."
    field "session" {
      bits = "15:0"
      doc  = "The network's session."
    }
    field "kind" {
      bits = "19:17"
      doc  = "Enum packet_kind."
    }
    field "seq" {
      bits = "31:20"
      doc  = "Of its header seq, lower bits; 0 without a header."
    }
  }
  layout "trace_packet_arrived" {
    width = 32
    doc   = "Of the event packet_arrived."
    field "session" {
      bits = "15:0"
      doc  = "The network's session."
    }
    field "own" {
      bits = "16"
      doc  = "From this engine itself."
    }
    field "kind" {
      bits = "19:17"
      doc  = "Enum packet_kind."
    }
    field "seq" {
      bits = "31:20"
      doc  = "Of its header seq, lower bits; 0 without a header."
    }
  }
  layout "trace_packet_held" {
    width = 32
    doc   = "Of the event packet_held."
    field "session" {
      bits = "15:0"
      doc  = "The network's session."
    }
    field "own" {
      bits = "16"
      doc  = "From this engine itself."
    }
  }
  layout "trace_packet_dropped" {
    width = 32
    doc   = "Of the event packet_dropped."
    field "reasons" {
      bits = "6:0"
      doc  = "Bit set network_event."
    }
  }
  layout "trace_session_given_up" {
    width = 32
    doc   = "Of the event session_given_up."
    field "session" {
      bits = "15:0"
      doc  = "The network's session."
    }
  }
  layout "trace_session_closed" {
    width = 32
    doc   = "Of the event session_closed."
    field "session" {
      bits = "15:0"
      doc  = "The network's session."
    }
  }
  layout "trace_processor_halted" {
    width = 32
    doc   = "Of the event processor_halted."
    field "trap_cause" {
      bits = "3:0"
      doc  = "Enum trap_cause."
    }
    field "pc" {
      bits = "31:4"
      doc  = "Address of the instruction, lower bits."
    }
  }

  layout "trace_slice_begun" {
    width = 32
    doc   = "Of the event slice_begun."
    field "queue" {
      bits = "1:0"
      doc  = "Queue of the move."
    }
    field "op0" {
      bits = "2"
      doc  = "The DMA engine of operand 0 reads."
    }
    field "op1" {
      bits = "3"
      doc  = "The DMA engine of operand 1 reads."
    }
    field "result" {
      bits = "4"
      doc  = "The DMA engine of results writes."
    }
    field "from_kernel" {
      bits = "5"
      doc  = "An operand is taken from the user kernel."
    }
    field "to_kernel" {
      bits = "6"
      doc  = "The result goes to the user kernel."
    }
    field "to_network" {
      bits = "7"
      doc  = "It goes to a packet."
    }
    field "arithmetic" {
      bits = "8"
      doc  = "The arithmetic plugin is called."
    }
    field "lane_0" {
      bits = "9"
      doc  = "Compression lane 0 is called."
    }
    field "lane_1" {
      bits = "10"
      doc  = "Compression lane 1 is called."
    }
    field "lane_2" {
      bits = "11"
      doc  = "Compression lane 2 is called."
    }
    field "last" {
      bits = "12"
      doc  = "It is the last one of its move."
    }
    field "bytes" {
      bits = "31:13"
      doc  = "Of operand 0, as it comes."
    }
  }

  memory "exchange" {
    word "inspection" {
      count    = 16
      hardware = true
      doc      = "What the hardware says of itself and of the control processor (record inspection)."
    }
  }
}
