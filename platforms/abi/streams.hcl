# Words on the streams between the engine and the kernels around it.

abi "streams" {
  abstract = true

  layout "dma_command" {
    width = 104
    doc   = "Command to a DMA channel; its TDEST chooses the memory (enum dma_memory)."
    field "bytes" {
      bits = "22:0"
      doc  = "Bytes to transfer."
    }
    field "incrementing" {
      bits = "23"
      doc  = "1 for a burst that advances its address."
    }
    field "dsa" {
      bits = "29:24"
      doc  = "Realignment offset of the stream; 0."
    }
    field "eof" {
      bits = "30"
      doc  = "1 to end the packet with this transfer."
    }
    field "drr" {
      bits = "31"
      doc  = "1 to request realignment; 0."
    }
    field "address" {
      bits = "95:32"
      doc  = "First byte in memory."
    }
    field "tag" {
      bits = "99:96"
      doc  = "Comes back in the status."
    }
  }
  layout "dma_status" {
    width = 32
    doc   = "Status of a DMA transfer; the read channels deliver its low 8 bits."
    field "tag" {
      bits = "3:0"
      doc  = "Tag of the command."
    }
    field "internal_error" {
      bits = "4"
      doc  = "The command was invalid."
    }
    field "decode_error" {
      bits = "5"
      doc  = "No memory at the address."
    }
    field "slave_error" {
      bits = "6"
      doc  = "The memory answered with an error."
    }
    field "okay" {
      bits = "7"
      doc  = "The transfer went well."
    }
    field "bytes_received" {
      bits = "30:8"
      doc  = "Bytes written."
    }
    field "end_of_packet" {
      bits = "31"
      doc  = "The packet ended with the transfer."
    }
  }
  enum "dma_memory" {
    doc = "TDEST of a DMA command and of the data to write."
    value "device" {
      is  = 0
      doc = "Memory of the card."
    }
    value "host" {
      is  = 1
      doc = "Memory of the host."
    }
  }

  layout "tcp_notification" {
    width = 128
    doc   = "Data has arrived in a session, or the session was closed."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
    field "length" {
      bits = "31:16"
      doc  = "Bytes that can be read."
    }
    field "remote_ip" {
      bits = "63:32"
      doc  = "IPv4 address of the sender."
    }
    field "remote_port" {
      bits = "79:64"
      doc  = "TCP port of the sender."
    }
    field "closed" {
      bits = "80"
      doc  = "1 if the session was closed."
    }
  }
  layout "tcp_read_request" {
    width = 32
    doc   = "Request for data that was notified (read_pkg)."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
    field "length" {
      bits = "31:16"
      doc  = "Bytes to read."
    }
  }
  layout "tcp_rx_meta" {
    width = 16
    doc   = "Goes before the data of each read request."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
  }
  layout "tcp_tx_meta" {
    width = 32
    doc   = "Request to send; the data follows after an error-free tcp_tx_status."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
    field "length" {
      bits = "31:16"
      doc  = "Bytes to send."
    }
  }
  layout "tcp_tx_status" {
    width = 64
    doc   = "Answer to tcp_tx_meta."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
    field "length" {
      bits = "31:16"
      doc  = "Bytes asked for."
    }
    field "remaining_space" {
      bits = "61:32"
      doc  = "Bytes that the session can still take."
    }
    field "error" {
      bits = "63:62"
      doc  = "0 if the data may be sent."
    }
  }
  layout "tcp_listen_port" {
    width = 16
    doc   = "Request to listen on a port."
    field "port" {
      bits = "15:0"
      doc  = "TCP port."
    }
  }
  layout "tcp_port_status" {
    width = 8
    doc   = "Answer to tcp_listen_port."
    field "success" {
      bits = "7:0"
      doc  = "Non-zero if the port is open."
    }
  }
  layout "tcp_open_connection" {
    width = 64
    doc   = "Request to connect."
    field "ip" {
      bits = "31:0"
      doc  = "IPv4 address of the remote side."
    }
    field "port" {
      bits = "47:32"
      doc  = "TCP port of the remote side."
    }
  }
  layout "tcp_open_status" {
    width = 128
    doc   = "Answer to tcp_open_connection."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
    field "success" {
      bits = "23:16"
      doc  = "Non-zero if the connection is open."
    }
  }
  layout "tcp_close_connection" {
    width = 16
    doc   = "Request to close a session."
    field "session" {
      bits = "15:0"
      doc  = "TCP session."
    }
  }
  enum "session_operation" {
    doc = "What the host asks the session handler for."
    value "open_port" {
      is  = 1
      doc = "Listen on a port."
    }
    value "open_connection" {
      is  = 2
      doc = "Connect to a remote port."
    }
    value "close" {
      is  = 3
      doc = "Close a session."
    }
  }

  layout "rdma_notification" {
    width = 64
    doc   = "A message has arrived on a queue pair; its data follow on their own stream."
    field "session" {
      bits = "15:0"
      doc  = "Queue pair."
    }
    field "length" {
      bits = "63:32"
      doc  = "Bytes of the message."
    }
  }
  layout "rdma_send_queue" {
    width = 128
    doc   = "Request to the RDMA stack."
    field "vaddr" {
      bits = "63:0"
      doc  = "Address in the receiver's memory, for a write."
    }
    field "length" {
      bits = "95:64"
      doc  = "Bytes to send."
    }
    field "host" {
      bits = "103:96"
      doc  = "1 if vaddr lies in host memory."
    }
    field "queue_pair" {
      bits = "119:104"
      doc  = "Queue pair."
    }
    field "opcode" {
      bits = "127:120"
      doc  = "Enum rdma_opcode."
    }
  }
  enum "rdma_opcode" {
    doc = "What the RDMA stack does with the data."
    value "write" {
      is  = 1
      doc = "Write it to the receiver's memory."
    }
    value "send" {
      is  = 2
      doc = "Send it as a message."
    }
  }
}
