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

    table "rx_buffers" { at = 0 }
  }
}
