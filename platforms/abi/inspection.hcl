# What a host reads of an engine whose processor may have halted: words of the
# exchange memory that are registers of the hardware.

abi "inspection" {
  abstract = true

  constant "inspection_magic" {
    is  = hex("4F4C4343")
    doc = "First word of the inspection: CCLO in ASCII. Without it the engine has none."
  }
  constant "inspection_version" {
    is  = 1
    doc = "Of the record inspection."
  }
  constant "inspection_restart" {
    is  = hex("52535452")
    doc = "Written to the word control, it resets the control processor alone."
  }

  layout "inspection_state" {
    width = 32
    doc   = "What the control processor does."
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
    doc = "Registers of the hardware, which the host reads whatever the control processor does. Writes other than to control are ignored."
    words = [
      "magic", "version", "design_hash", "firmware_hash", "state", "pc", "instruction", "address", "heartbeat", "cycles",
      "control", "restarts", "refused", "given_up", "given_up_session", "reserved",
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
      reserved         = "0."
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
