# What both forms of the collective engine have in common.

kernel "engine" {
  abstract = true
  role     = "engine"
  each     = "cclo"
  source   = "rtl"
  instance = "ccl_offload_${cclo.index}"
  place    = "cclo"

  # What tells why a call hangs: whether the processor runs and which register it reads or waits for, calls, the state
  # and the waits of each move, slices and memory, packets and refusals of the network stack, messages and rx buffers.
  nets = {
    "core.halted"             = 1
    "core.cause"              = 4
    "core.trap_pc"            = 32
    "core.restarting"         = 1
    "core.retired"            = 1
    "core.retired_pc"         = 32
    "core.bus_valid"          = 1
    "core.bus_ready"          = 1
    "core.bus_write"          = 1
    "core.bus_address"        = 32
    "core.sleeping"           = 1
    "core.alarm_far"          = 1
    "core.system_page.events" = 32

    "core.calls_waiting" = 7
    "core.calls_idle"    = 1
    "core.next_offered"  = 1
    "core.next_delayed"  = 1
    "core.next_refused"  = 1
    "core.next_take"     = 1

    "core.issue_valid"                     = 1
    "core.moves_waiting"                   = 32
    "core.moves_completed"                 = 4
    "core.moves_failed"                    = 4
    "core.wait_remote"                     = 4
    "core.wait_kernel"                     = 4
    "core.wait_packet"                     = 4
    "core.channels_idle"                   = 1
    "core.moves.full"                      = 4
    "core.moves.pending"                   = 4
    "core.moves.channels[0].queue_valid"   = 1
    "core.moves.channels[0].queue_ready"   = 1
    "core.moves.channels[0].channel.state" = 5
    "core.moves.channels[1].queue_valid"   = 1
    "core.moves.channels[1].queue_ready"   = 1
    "core.moves.channels[1].channel.state" = 5
    "core.moves.channels[2].queue_valid"   = 1
    "core.moves.channels[2].queue_ready"   = 1
    "core.moves.channels[2].channel.state" = 5
    "core.moves.channels[3].queue_valid"   = 1
    "core.moves.channels[3].queue_ready"   = 1
    "core.moves.channels[3].channel.state" = 5

    "core.slice_valid" = 1
    "core.slice_ready" = 1
    "core.data_idle"   = 1
    "core.write_idle"  = 1
    "core.kernel_busy" = 1
    "core.stalls"      = 39

    "core.packet_open_valid"     = 1
    "core.packet_open_ready"     = 1
    "core.packet_commit_valid"   = 1
    "core.packet_commit_ready"   = 1
    "core.transmit_busy"         = 1
    "core.tx_slots"              = 32
    "core.transmit.stuck"        = 32
    "core.transmit.ask_valid"    = 1
    "core.transmit.ask_ready"    = 1
    "core.transmit.ask_session"  = 16
    "core.transmit.answer_valid" = 1
    "core.transmit.answer_good"  = 1
    "core.transmit.send_valid"   = 1
    "core.transmit.send_ready"   = 1
    "core.given_up"              = 1
    "core.given_up_session"      = 16

    "core.receive_busy"         = 1
    "core.rx_slots"             = 32
    "core.receive.need_valid"   = 1
    "core.receive.need_ready"   = 1
    "core.receive.need_none"    = 1
    "core.receive.need_session" = 16
    "core.rx_valid"             = 1
    "core.rx_session"           = 16
    "core.rx_verdict_valid"     = 1
    "core.rx_verdict"           = 2
    "core.rx_retry"             = 1
    "core.arrivals.state"       = 4
    "core.events_noticed"       = 7
    "core.session_closed_valid" = 1

    "core.accept_valid"   = 1
    "core.accept_done"    = 1
    "core.accept_verdict" = 3
    "core.buffers_given"  = 9
    "core.buffers_free"   = 9
    "core.full"           = 1
    "core.windows_open"   = 32
  }

  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("2000")
  }
}
