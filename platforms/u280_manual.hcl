# Alveo U280, one engine in the form of the hardware manual: DMA inside, both network
# stacks outside, called through its own registers.

variable "user_kernel" {
  description = "Kernel at the engine's stream, for example vadd_put; empty closes the stream."
  type        = string
  default     = ""

  validation {
    condition     = var.user_kernel != "vadd_put"
    error_message = "vadd_put issues calls, and this form of the engine takes calls through its registers only"
  }
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

platform "u280_manual" {
  doc         = "Alveo U280 with the engine of the hardware manual."
  board       = "u280"
  abi         = "accl-2021"
  clock       = 250 # MHz
  host_memory = var.host_memory
  hw_emu      = var.hw_emu

  cclo {
    dma           = "internal"
    kernel_stream = var.user_kernel == "" ? "loopback" : var.user_kernel

    rx_buffers {
      count = 16
      size  = 4096 # bytes
    }
  }

  poe "tcp" {
    port = var.ethernet_port
  }

  # Functions and conversions, with their TDESTs, are those of the plugins.
  arithmetic "reduce_ops_wide" {}

  compression "hp_compression" {
    lanes = 3
  }
}
