# What the control processor (RV32IM) sees: its memories, the queue of calls,
# time and reset. All registers lie in one page of 4 KiB, so that firmware
# reaches them from one base register.

abi "processor" {
  abstract = true

  constant "parked_calls" {
    is  = 32
    doc = "Calls that can be parked at the same time."
  }
  constant "progress_words" {
    is  = 16
    doc = "Words that firmware keeps with a call while it is parked."
  }

  memory "local_ram" {
    processor_base = 0
    size           = hex("10000")
    doc            = "Program and data of the control processor; execution starts at its first byte."
  }

  memory "call_window" {
    processor_base = hex("20100")
    size           = hex("80")
    doc            = "The call that was taken, until it is answered or parked."
    word "words" {
      at    = hex("00")
      count = 15
      doc   = "The call (record call)."
    }
    word "client" {
      at  = hex("3C")
      doc = "Client that placed the call; 0 behind an arbiter that does not tell."
    }
    word "progress" {
      at    = hex("40")
      count = 16
      doc   = "Firmware's own; zero in a new call, kept while the call is parked."
    }
  }

  layout "call_status" {
    width = 32
    doc   = "Calls that can be taken."
    field "waiting" {
      bits = "7:0"
      doc  = "New calls."
    }
    field "parked" {
      bits = "15:8"
      doc  = "Parked calls."
    }
    field "reset_requested" {
      bits = "16"
      doc  = "One of the new calls is reset_periph: every wait ends."
    }
  }
  enum "call_queue" {
    doc = "Where a call is taken from."
    value "waiting" {
      is  = 0
      doc = "The oldest new call."
    }
    value "parked" {
      is  = 1
      doc = "The call that has been parked longest."
    }
  }
  registers "calls" {
    base = hex("20000")
    doc  = "Queue of calls. Other calls may be taken and answered while one is parked."
    register "status" {
      at     = hex("00")
      access = "ro"
      doc    = "Layout call_status."
    }
    register "take" {
      at     = hex("04")
      access = "wo"
      doc    = "Brings a call into the call window: from which queue (enum call_queue)."
    }
    register "answer" {
      at     = hex("08")
      access = "wo"
      doc    = "Answers the call in the window with this return code and frees the window."
    }
    register "park" {
      at     = hex("0C")
      access = "wo"
      doc    = "Any value: puts the call in the window, with its progress, behind the parked calls and frees the window."
    }
  }

  bits "wake_event" {
    doc = "What the processor can sleep for."
    bit "call" {
      at  = 0
      doc = "A new call waits."
    }
    bit "move" {
      at  = 1
      doc = "A move has completed or failed."
    }
    bit "message" {
      at  = 2
      doc = "An eager message has arrived."
    }
    bit "network" {
      at  = 3
      doc = "A network event or the answer to a session request is there."
    }
  }
  bits "reset_part" {
    doc = "What the processor can reset; each takes at most reset_milliseconds."
    bit "moves" {
      at  = 0
      doc = "Drops all moves, also those in the data path, and empties the lanes."
    }
    bit "messages" {
      at  = 1
      doc = "Drops received messages and forgets all rx buffers."
    }
    bit "network" {
      at  = 2
      doc = "Stops the network engines and drops what they hold; sessions stay."
    }
  }
  registers "system" {
    base = hex("20800")
    doc  = "Identity, reset and sleep."
    register "hardware_id" {
      at     = hex("00")
      access = "ro"
      doc    = "What the engine was built with (layout hardware_id); firmware copies it to the exchange memory."
    }
    register "reset" {
      at  = hex("04")
      doc = "Bit set reset_part: write ones to reset; they read as one until done."
    }
    register "sleep" {
      at     = hex("08")
      access = "ro"
      doc    = "Waits for an event, at most a millisecond, and answers which happened since the last read (bit set wake_event)."
    }
    register "trace" {
      at     = hex("0C")
      access = "wo"
      doc    = "A word that simulations record; hardware ignores it."
    }
  }

  registers "timers" {
    base = hex("20900")
    doc  = "Time, and the limits of waits in the data path."
    register "cycles" {
      at     = hex("00")
      width  = 64
      access = "ro"
      doc    = "Clock cycles since power-up. Reading the low word holds the high word for the next read."
    }
    register "milliseconds" {
      at     = hex("08")
      access = "ro"
      doc    = "Milliseconds since power-up, wrapping around; for waits that firmware bounds itself."
    }
    register "limit_cycles" {
      at  = hex("0C")
      doc = "Limit of waits inside the engine (DMA, lanes, kernel stream), in cycles."
    }
    register "remote_milliseconds" {
      at  = hex("10")
      doc = "Limit of waits for a message of a remote rank, in milliseconds; they end with RECEIVE_TIMEOUT."
    }
  }
}
