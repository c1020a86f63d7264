# What accl-2022 and accl-2024 share.

abi "since-2022" {
  abstract = true

  features = {
    config_ready = true
  }

  constant "host_space_bytes" {
    is  = hex("2000")
    doc = "Size of the address space that the host sees."
  }

  enum "operation" {
    value "barrier" {
      is  = 12
      doc = "Ends when all ranks have called it."
    }
    value "alltoall" {
      is  = 13
      doc = "Sends block j of rank i's operand 0 to block i of rank j's result."
    }
  }
  operation "barrier" {}
  operation "alltoall" {
    repeats_result = true
    op0            = { share = "all" }
    res            = { share = "all" }
  }

  record "fault" {
    doc = "Why a call failed. A collective number of 0 in other_number: no message of another collective came."
    words = [
      "comm", "rank", "code", "number", "sequence_or_number", "tag_or_count", "bytes_or_shape", "milliseconds_or_code",
    ]
    docs = {
      comm                 = "Address of the call's communicator in the exchange memory."
      rank                 = "Rank that was waited for, or that made another call."
      code                 = "Bits of the return code that this is about: RECEIVE_TIMEOUT or COLLECTIVE_MISMATCH."
      number               = "Number of the collective in its communicator; 0 for sends and receives."
      sequence_or_number   = "RECEIVE_TIMEOUT: sequence number of the message. COLLECTIVE_MISMATCH: number of the other rank's collective."
      tag_or_count         = "RECEIVE_TIMEOUT: tag of the message. COLLECTIVE_MISMATCH: count of the other rank's call."
      bytes_or_shape       = "RECEIVE_TIMEOUT: bytes that were waited for. COLLECTIVE_MISMATCH: layout collective_shape of the other rank's call."
      milliseconds_or_code = "RECEIVE_TIMEOUT: the limit. COLLECTIVE_MISMATCH: what the other rank's call failed with, 0 if it did not say."
    }
  }

  memory "exchange" {
    base           = 0
    processor_base = hex("30000")
    size           = hex("2000")

    word "return_code" { at = hex("1FFC") }
    word "hardware_id" { at = hex("1FF8") }
    word "config_ready" {
      at  = hex("1FF4")
      doc = "The host writes 1 when the configuration is complete; reset_periph clears it."
    }
    word "inspection" { at = hex("1F64") }
    word "fault" {
      count = 8
      doc   = "What the last call that failed with RECEIVE_TIMEOUT or COLLECTIVE_MISMATCH waited for (record fault)."
    }

    table "rx_buffers" { at = 0 }
  }
}
