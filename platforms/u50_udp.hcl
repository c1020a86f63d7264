# Alveo U50, one engine, UDP over 100 GbE.

variable "user_kernel" {
  description = "Kernel at the engine's stream, for example vadd_put; empty closes the stream."
  type        = string
  default     = ""
}

variable "host_memory" {
  description = "Let the engine's DMAs reach host memory."
  type        = bool
  default     = false
}

variable "ethernet_port" {
  description = "Ethernet port of the card."
  type        = number
  default     = 0
}

variable "hw_emu" {
  description = "Link for hardware emulation."
  type        = bool
  default     = false
}

platform "u50_udp" {
  doc         = "Alveo U50 with one engine on UDP."
  board       = "u50"
  clock       = 250 # MHz
  host_memory = var.host_memory
  hw_emu      = var.hw_emu

  cclo {
    kernel_stream = var.user_kernel == "" ? "loopback" : var.user_kernel

    rx_buffers {
      count = 16
      size  = 4096 # bytes
    }
  }

  poe "udp" {
    port = var.ethernet_port
  }

  # Functions and conversions, with their TDESTs, are those of the plugins: of functions all.
  arithmetic "reduce_ops" {
    functions = ["*"]
  }

  compression "hp_compression" {
    lanes = 3
  }
}
