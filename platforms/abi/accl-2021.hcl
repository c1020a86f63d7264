abi "accl-2021" {
  extends = ["common", "before-2024"]
  doc     = "The register and configuration space of the kernel manual."

  constant "host_space_bytes" {
    is  = hex("1000")
    doc = "Size of the address space that the host sees: registers, and from 0x800 the exchange memory."
  }

  enum "operation" {
    value "ext_stream_krnl" {
      is  = 12
      doc = "Sends operand 0 through the kernel stream to the result."
    }
  }
  operation "ext_stream_krnl" {
    callers = ["kernel"]
    local   = true
    op0     = { share = "block", stream = true }
    res     = { share = "block", stream = true }
  }

  memory "exchange" {
    base           = hex("800")
    processor_base = hex("30800")
    size           = hex("800")

    word "return_code" { at = hex("FFC") }
    word "hardware_id" { at = hex("FF8") }
    word "inspection" { at = hex("1000") }

    table "rx_buffers" {
      at     = hex("800")
      header = ["count"]
      record = ["addrl", "addrh", "max_len", "dma_tag", "status", "rx_tag", "rx_len", "rx_src", "seq"]
    }
  }
}
