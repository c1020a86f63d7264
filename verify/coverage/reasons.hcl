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
