# The smallest complete description; what tests load extends it.

abi "base" {
  abstract = true

  type "float32" { bytes = 4 }

  constant "beat_bytes" { is = 64 }
  constant "default_timeout_cycles" { is = 1000 }
  constant "min_timeout_cycles" { is = 100 }

  enum "reduce_function" {
    value "sum" { is = 0 }
  }
  enum "config_function" {
    value "reset_periph" { is = 0 }
  }
  enum "stack" {
    value "udp" { is = 0 }
  }
  bits "return_code" {
    bit "DMA_TIMEOUT" { at = 7 }
  }
  layout "hardware_id" {
    width = 32
    field "stack" { bits = "1:0" }
  }
  layout "message_header" {
    width = 512
    field "count" { bits = "31:0" }
  }
  record "call" { words = ["scenario", "count"] }
  registers "hostctrl" {
    register "scenario" { at = hex("10") }
  }
  memory "exchange" {
    size = hex("1000")
    word "return_code" { at = hex("FFC") }
    table "rx_buffers" {
      at     = 0
      header = ["count"]
      record = ["status"]
    }
    table "communicators" {
      after  = "rx_buffers"
      header = ["size"]
      record = ["ip"]
    }
    table "arithmetic_configurations" {
      after  = "communicators"
      header = ["nfunctions"]
      record = ["tdest"]
    }
  }
}
