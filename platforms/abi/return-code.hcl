# The answer to a call.

abi "return-code" {
  abstract = true

  bits "return_code" {
    doc = "Answer to a call; 0 for success."
    bit "DMA_MISMATCH" {
      at  = 0
      doc = "The status of a DMA transfer belongs to another command."
    }
    bit "DMA_INTERNAL" {
      at  = 1
      doc = "A DMA engine reported an internal error, for example a command for 0 bytes."
    }
    bit "DMA_DECODE" {
      at  = 2
      doc = "A DMA engine found no memory at the address."
    }
    bit "DMA_SLAVE" {
      at  = 3
      doc = "The memory answered a DMA transfer with an error."
    }
    bit "DMA_NOT_OKAY" {
      at  = 4
      doc = "A DMA transfer ended without being reported as good."
    }
    bit "DMA_NOT_END_OF_PACKET" {
      at  = 5
      doc = "A DMA write ended before the end of its packet."
    }
    bit "DMA_NOT_EXPECTED_BTT" {
      at  = 6
      doc = "A DMA transfer moved another number of bytes than asked for."
    }
    bit "DMA_TIMEOUT" {
      at  = 7
      doc = "A DMA transfer did not end within the limit."
    }
    bit "CONFIG_SWITCH" {
      at  = 8
      doc = "The data path could not be set up."
    }
    bit "DEQUEUE_BUFFER_TIMEOUT" {
      at  = 9
      doc = "No rx buffer was filled or freed within the limit."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_STATUS" {
      at  = 10
      doc = "A filled rx buffer is not in the state it should be in."
    }
    bit "RECEIVE_TIMEOUT" {
      at  = 11
      doc = "No message of the remote rank came within the limit."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_DMATAG_MISMATCH" {
      at  = 12
      doc = "A filled rx buffer does not belong to the DMA transfer that filled it."
    }
    bit "DEQUEUE_BUFFER_SPARE_BUFFER_INDEX" {
      at  = 13
      doc = "A filled rx buffer has an index outside the table."
    }
    bit "COLLECTIVE_NOT_IMPLEMENTED" {
      at  = 14
      doc = "The call's operation or function does not exist, or the engine was built without it."
    }
    bit "RECEIVE_OFFCHIP_SPARE_BUFF_ID_NOT_VALID" {
      at  = 15
      doc = "A message was matched to an rx buffer that does not exist."
    }
    bit "DMA_SIZE" {
      at  = 18
      doc = "A transfer is larger than a DMA engine or its buffer allows."
    }
    bit "ARITH" {
      at  = 19
      doc = "The reduction function does not exist, or arithmetic failed."
    }
    bit "PACK_TIMEOUT_STS" {
      at  = 20
      doc = "The packetizer did not report a message as sent within the limit."
    }
    bit "PACK_SEQ_NUMBER" {
      at  = 21
      doc = "The packetizer sent another sequence number than asked for."
    }
    bit "COMPRESSION" {
      at  = 22
      doc = "The conversion does not exist, or compression failed."
    }
    bit "KRNL_TIMEOUT_STS" {
      at  = 23
      doc = "The kernel stream did not deliver or take the data within the limit."
    }
    bit "KRNL_STS_COUNT" {
      at  = 24
      doc = "The kernel stream moved another amount than asked for."
    }
    bit "SEGMENTER_EXPECTED_BTT" {
      at  = 25
      doc = "A segment has another number of bytes than asked for."
    }
    bit "DMA_TAG_MISMATCH" {
      at  = 26
      doc = "The status of a DMA transfer has another tag than its command."
    }
    bit "COLLECTIVE_MISMATCH" {
      at  = 27
      doc = "The ranks of the communicator did not make the same collective call, or a collective of another rank failed."
    }
    bit "NOT_READY" {
      at       = 31
      internal = true
      doc      = "The call is parked and retried; hosts see this only for calls that a reset dropped."
    }
  }
}
