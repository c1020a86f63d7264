# Calls: what hosts and kernels ask the engine for.

abi "calls" {
  abstract = true

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

  # What operations do with their operands. Firmware, driver, bindings of kernels, conformance model, benchmarks and
  # manual derive from it.
  operation "config" {
    callers = []
    local   = true
  }
  operation "copy" {
    local = true
    op0   = { share = "block", stream = true }
    res   = { share = "block", stream = true }
  }
  operation "combine" {
    local   = true
    reduces = true
    op0     = { share = "block", stream = true }
    op1     = { share = "block" }
    res     = { share = "block", stream = true }
  }
  operation "send" {
    peer   = "destination"
    tagged = true
    op0    = { share = "block", stream = true }
  }
  operation "stream_put" {
    doc  = "Sends operand 0 to the kernel stream of a rank, with a TDEST that follows from the call's tag."
    call = "send"
    peer = "destination"
    op0  = { share = "block", stream = true }
    res  = { share = "block", at = "peer" }
  }
  operation "recv" {
    peer          = "source"
    tagged        = true
    result_as_op1 = true
    res           = { share = "block", stream = true }
  }
  operation "bcast" {
    peer     = "root"
    in_place = "required"
    op0      = { share = "block", at = "root" }
    res      = { share = "block", at = "not_root" }
  }
  operation "scatter" {
    peer     = "root"
    in_place = "allowed"
    op0      = { share = "all", at = "root" }
    res      = { share = "block" }
  }
  operation "gather" {
    peer     = "root"
    in_place = "allowed"
    op0      = { share = "block" }
    res      = { share = "all", at = "root" }
  }
  operation "reduce" {
    peer     = "root"
    reduces  = true
    in_place = "allowed"
    op0      = { share = "block", stream = true }
    res      = { share = "block", at = "root", stream = true }
  }
  operation "allgather" {
    in_place       = "allowed"
    repeats_result = true
    op0            = { share = "block" }
    res            = { share = "all" }
  }
  operation "allreduce" {
    reduces        = true
    in_place       = "allowed"
    repeats_result = true
    op0            = { share = "block", stream = true }
    res            = { share = "block", stream = true }
  }
  operation "reduce_scatter" {
    reduces  = true
    in_place = "allowed"
    op0      = { share = "all" }
    res      = { share = "block" }
  }
  operation "nop" { task = false }

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
      doc = "Sets the limit of waits inside the engine to count cycles; below min_timeout_cycles, as from hosts that send no count, to default_timeout_cycles."
    }
    value "recover" {
      is  = 16
      doc = "Our extension: makes the communicator usable after a collective that failed. All its ranks call it."
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

  layout "call_head" {
    width = 32
    doc   = "The call's word scenario, on its way through arbiters: they say in it whose it is."
    field "operation" {
      bits = "27:0"
      doc  = "Enum operation."
    }
    field "client" {
      bits = "30:28"
      doc  = "Number of the client; an arbiter puts its port behind the number that was there."
    }
  }
  layout "call_answer" {
    width = 32
    doc   = "The answer to a call on its way through arbiters: the return code has no use for some bits."
    field "failures" {
      bits = "27:0"
      doc  = "Bits of the return code."
    }
    field "client" {
      bits = "30:28"
      doc  = "Number of the client."
    }
    field "not_ready" {
      bits = "31"
      doc  = "Bit of the return code."
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
    doc = "Registers by which the host places calls: it starts one and waits for its end, or posts several and reads their answers later. A start waits until all posted calls are answered, and they wait until it has ended."
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
    register "post" {
      at        = hex("80")
      access    = "wo"
      extension = true
      doc       = "Any write posts the call that stands in the registers above; they may be written again when posted has grown. It is ignored until then, and while as many posted calls as capacity says are without an answer."
    }
    register "posted" {
      at        = hex("84")
      access    = "ro"
      extension = true
      doc       = "Posted calls whose words have all been taken, since reset, modulo 2^32."
    }
    register "answered" {
      at        = hex("88")
      access    = "ro"
      extension = true
      doc       = "Answers to posted calls, since reset, modulo 2^32."
    }
    register "capacity" {
      at        = hex("8C")
      access    = "ro"
      extension = true
      doc       = "How many posted calls may be without an answer. 0: the host controller is another's, and calls are started."
    }
    register "answers" {
      at        = hex("100")
      count     = 32
      access    = "ro"
      extension = true
      doc       = "Return codes: that of posted call k, counted from 0, stands in register k modulo 32 until 32 more calls have been answered."
    }
  }
}
