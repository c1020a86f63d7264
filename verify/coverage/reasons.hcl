# Why lines of the hardware are not covered:
#
# uncovered "<module>" {
#   lines    = [...]  # their text, without the space before it; or
#   function = "..."  # all lines of a function
#   reason   = "..."
# }

uncovered "hostctrl_core" {
  function = "writable"
  reason   = "Its value is that of a parameter: it is evaluated when the hardware is built, and never in a cycle."
}

uncovered "hostctrl_core" {
  lines  = ["default: register_of = FIRST;"]
  reason = "All words of a call are listed above, and no other number is asked for."
}

uncovered "microblaze_v_core" {
  lines  = ["default: ;"]
  reason = "Behind a trap the processor runs nothing but the words at its vectors, which store to the three addresses above."
}

uncovered "session_requests" {
  lines  = ["session_status = {15'd0, success, session}; // nobody reads it"]
  reason = "On platforms without sessions in the engine, firmware asks the network for none."
}

uncovered "system_registers" {
  lines = [
    "if (!$value$plusargs(\"remote_milliseconds=%d\", first_limit))",
    "first_limit = cclo_pkg::PLATFORM_REMOTE_TIMEOUT_MILLISECONDS;",
  ]
  reason = "All tests name a shorter limit for simulated ranks; those that are served to other programs begin with the platform's, as cards do."
}
