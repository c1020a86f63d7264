# What the control processor (RV32IM) sees: its memories, the calls, time and
# reset. All registers lie in one page of 4 KiB, so that firmware
# reaches them from one base register.

abi "processor" {
  abstract = true

  constant "open_calls" {
    is  = 32
    doc = "Calls that firmware works on or has parked at the same time."
  }

  memory "local_ram" {
    processor_base = 0
    size           = hex("20000")
    doc            = "Program and data of the control processor; execution starts at its first byte."
  }

  memory "call_window" {
    processor_base = hex("20100")
    size           = hex("40")
    doc            = "The call that was taken last."
    word "words" {
      at    = hex("00")
      count = 15
      doc   = "The call (record call)."
    }
  }

  layout "call_status" {
    width = 32
    doc   = "Calls that can be taken."
    field "waiting" {
      bits = "7:0"
      doc  = "Calls that wait; 255 for more."
    }
    field "reset_requested" {
      bits = "8"
      doc  = "One of them is reset_periph: every wait ends."
    }
  }
  registers "calls" {
    base = hex("20000")
    doc  = "Calls. Any number may be taken before one is answered; each client gets its answers in the order of its calls."
    register "status" {
      at     = hex("00")
      access = "ro"
      doc    = "Layout call_status."
    }
    register "take" {
      at     = hex("04")
      access = "ro"
      doc    = "Brings the oldest waiting call into the call window: its ticket, 0 if none waits."
    }
    register "ticket" {
      at  = hex("08")
      doc = "Ticket of the call that is answered next; taking a call sets it."
    }
    register "answer" {
      at     = hex("0C")
      access = "wo"
      doc    = "Answers the call of the ticket with this return code."
    }
    register "cycles" {
      at     = hex("10")
      access = "ro"
      doc    = "Clock cycles since the call of the ticket was taken."
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
      doc = "An eager message has arrived that no move has waited for and got at once."
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
  layout "wake" {
    width = 32
    doc   = "Why the processor is awake."
    field "events" {
      bits = "4:0"
      doc  = "Bit set wake_event."
    }
    field "taken" {
      bits = "5"
      doc  = "A call was taken: it is in the call window, and calls.ticket has its ticket."
    }
    field "reset_requested" {
      bits = "6"
      doc  = "No call was taken, since one of those that wait is reset_periph."
    }
    field "tables" {
      bits = "7"
      doc  = "The host has written to the exchange memory since the last read."
    }
    field "operation" {
      bits = "30:8"
      doc  = "Of the call that was taken: what it asks for (enum operation)."
    }
    field "at_rest" {
      bits = "31"
      doc  = "No call was taken, and no queue has a move or an error."
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
      doc    = "Waits for an event or the alarm, and answers which events happened since the last read (bit set wake_event)."
    }
    register "alarm" {
      at  = hex("0C")
      doc = "Value of timers.milliseconds at which sleep ends without an event."
    }
    register "trace" {
      at     = hex("10")
      access = "wo"
      doc    = "A word that simulations record; hardware ignores it."
    }
    register "next" {
      at     = hex("14")
      access = "ro"
      doc    = "Takes the oldest call; if none can be taken, waits as sleep does (layout wake)."
    }
    register "firmware" {
      at     = hex("18")
      access = "wo"
      doc    = "Firmware writes what it is here when it begins: word firmware_hash of the record inspection."
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
