abi "accl-2024" {
  extends = ["common", "since-2022", "rendezvous"]
  doc     = "The interface of the C++ and XRT driver and the HLS bindings: host buffers, eager and rendezvous messages."

  features = {
    host_operands = true
    tuning        = true
  }

  enum "operation" {
    value "scan" {
      is  = 14
      doc = "Our extension: reduces operand 0 of ranks 0 to i to the result of rank i."
    }
    value "exscan" {
      is  = 15
      doc = "Our extension: reduces operand 0 of ranks 0 to i - 1 to the result of rank i. Rank 0 has none."
    }
  }
  operation "scan" {
    reduces  = true
    in_place = "allowed"
    op0      = { share = "block", stream = true }
    res      = { share = "block", stream = true }
  }
  operation "exscan" {
    reduces = true
    op0     = { share = "block" }
    res     = { share = "block", at = "not_first" }
  }

  bits "host_flags" {
    doc = "Which operands of a call lie in host memory; 0 for none."
    bit "op0" {
      at  = 0
      doc = "Operand 0 lies in host memory."
    }
    bit "op1" {
      at  = 1
      doc = "Operand 1 lies in host memory."
    }
    bit "res" {
      at  = 2
      doc = "The result lies in host memory."
    }
  }

  layout "stream_word" {
    field "host" {
      bits = "15:8"
      doc  = "Bit set host_flags."
    }
  }

  memory "exchange" {
    word "performance_counter" {
      at  = hex("1FF0")
      doc = "Cycles that the last call took."
    }
    word "scratch" {
      at    = hex("1FD8")
      width = 64
      count = 3
      doc   = "Addresses of scratch buffers 1 to 3 in device memory."
    }

    word "fault" { at = hex("1FA4") }

    word "gather_fan_in" {
      at    = hex("1FC4")
      group = "tuning"
      doc   = "Ranks that send to one at the same time in a gather."
    }
    word "gather_max_bytes" {
      at    = hex("1FC8")
      group = "tuning"
      doc   = "Largest message of a gather in which all ranks send to the root at once."
    }
    word "bcast_flat_max_ranks" {
      at    = hex("1FCC")
      group = "tuning"
      doc   = "Largest number of ranks to which a bcast is sent by the root alone."
    }
    word "reduce_flat_max_ranks" {
      at    = hex("1FD0")
      group = "tuning"
      doc   = "Largest number of ranks that a reduce combines at the root alone."
    }
    word "reduce_flat_max_bytes" {
      at    = hex("1FD4")
      group = "tuning"
      doc   = "Largest message that a reduce of more ranks combines at the root alone."
    }

    table "rx_buffers" {
      header = ["count", "size"]
      record = ["status", "addrl", "addrh", "rx_tag", "rx_len", "rx_src", "seq"]
    }
  }
}
