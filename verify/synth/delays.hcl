# Delays of UltraScale+, in ps, at the slow corner.
#
# Sources, looked up in November 2026; figures only:
#   rw   Xilinx/RapidWright (Apache 2.0), timing/ultrascaleplus/intrasite_delay_terms.txt
#   net  the same, intersite_delay_terms.txt
#   sdf  f4pga/prjuray-db (CC0), zynqusp/timings/{SLICEL,RAMB181}.sdf: largest value of the slow corner
#   own  an assumption, with its reason

flip_flop {
  clock_to_q = 77  # rw; sdf has 108 to 180
  setup_d    = -25 # rw; sdf: -27
  setup_ce   = 43  # sdf
  setup_sr   = 72  # sdf, CLR; own for the synchronous R and S
}

# From the slowest pin that so many inputs need, when the fastest are taken: rw, A6 to A1. sdf has the same rule:
# 40, 64, 100, 116 for one to four inputs.
lut = [35, 50, 90, 100, 125, 150]

# MUXF7: rw. MUXF8 and MUXF9: own, as MUXF7.
mux {
  select = 77
  data   = 70
}

lut_memory {
  read           = 150 # rw, A1 to O6
  clock_to_q     = 312 # rw
  setup_data     = 81  # rw, DI2
  setup_address  = 117 # rw, WA1
  setup_enable   = 180 # rw, WE
}

block_ram {
  clock_to_q    = 1003 # rw, DOUTADOUT[0]; sdf: 1085
  registered    = 229  # rw, DOUTBDOUT[0]
  setup_address = 387  # sdf; own for enables, which sdf does not have
  setup_data    = 347  # sdf
}

# Of a cascaded block, which is slower than one that stands alone.
ultra_ram {
  clock_to_q    = 1401 # rw, CAS_OUT_DOUT_A[0], FIRST, OREG_A FALSE
  registered    = 844  # rw, OREG_A TRUE
  setup_address = 498  # rw, CAS_IN_ADDR_A[0]
  setup_data    = 455  # rw, CAS_IN_DIN_A[0]
}

# Upper bounds. rw, tcl/rwroute/test_data/dump_all_dsp_delay: CLK to PCOUT with AREG = BREG = 1, MREG = PREG = 0.
dsp {
  through = 1690
  setup   = 300
}

# Fixed connections inside of a slice: rw.
site {
  lut_to_ff      = 50
  lut_to_mux     = 25
  lut_to_carry   = 15 # S; DI comes from O5 without delay
  mux_to_ff      = 32
  mux_out        = 32
  sum_to_ff      = 25 # O; CO has none
  sum_out        = 30
  bypass_to_ff   = 100
  carry_to_carry = 46 # COUT to CIN of the slice above 20, CIN to CARRY8 26
}

# A wire of so many sinks is entry + hop * (2 + log2(sinks)): two hops leave the driver and reach a sink beside it, and
# each doubling of the sinks adds one.
#   hop    net: K0 + K1 * L of a quad, the mean of 43 + 3.6 * 5 vertically and 43 + 3.5 * 10 horizontally
#   entry  net: SITEPIN_A4_DELAY
#   hops   own: no placement is known
wire {
  entry = 44
  hop   = 70
}

# CARRY8, from input bit (row) to output bit (column), from the row's own bit on: rw.
carry {
  s_o = [
    [65, 96, 134, 139, 206, 240, 226, 241], [56, 117, 123, 204, 237, 224, 238], [58, 86, 167, 200, 188, 202],
    [61, 149, 184, 172, 187], [63, 95, 129, 137], [58, 131, 138], [56, 85], [56],
  ]
  s_co = [
    [71, 109, 115, 186, 216, 201, 217, 199], [91, 98, 184, 213, 199, 214, 197], [63, 148, 176, 162, 177, 168],
    [133, 159, 146, 162, 170], [70, 103, 113, 163], [105, 113, 166], [61, 124], [124],
  ]
  # DI does not reach O of its own bit.
  di_o = [
    [0, 81, 109, 115, 178, 208, 196, 211], [0, 99, 102, 162, 196, 183, 198], [0, 94, 150, 186, 174, 188],
    [0, 147, 182, 170, 185], [0, 84, 115, 123], [0, 102, 107], [0, 93], [0],
  ]
  di_co = [
    [57, 83, 90, 182, 184, 170, 186, 140], [73, 78, 144, 172, 158, 173, 127], [69, 134, 160, 148, 163, 117],
    [131, 157, 144, 160, 113], [59, 87, 98, 100], [74, 82, 95], [69, 67], [60],
  ]
  ci_o  = [56, 76, 67, 82, 86, 116, 103, 116]
  ci_co = [52, 42, 57, 60, 92, 77, 92, 23]
  # AX as the carry that comes in, CYINIT.
  ax_o  = [110, 132, 131, 135, 193, 228, 216, 231]
  ax_co = [107, 105, 110, 177, 203, 191, 206, 160]
}
