abi "accl-2022" {
  extends = ["common", "before-2024", "since-2022"]
  doc     = "The interface of the Python driver and its notebooks."

  constant "put_tdest_offset" { is = 9 }

  memory "exchange" {
    word "fault" { at = hex("1FD4") }

    table "rx_buffers" {
      header = ["count"]
      record = ["status", "addrl", "addrh", "max_len", "rx_tag", "rx_len", "rx_src", "seq"]
    }
  }
}
