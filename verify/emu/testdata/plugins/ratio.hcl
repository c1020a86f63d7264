# Conversions of which several elements of one side make one of the other. Tests put
# other network engines in the place of tcp.

platform "ratio" {
  board = "u55c"

  type "quarter" {
    bytes = 2
    doc   = "The first of 4 int32, if 16 bits hold it."
  }
  type "sixteenth" {
    bytes = 8
    doc   = "The first of 16 int32."
  }
  type "tally" {
    bytes = 4
    doc   = "The first of 4 int32, which can be added."
  }

  poe "tcp" {}

  arithmetic "ratio_ops" {}

  compression "ratio_conversions" {
    lanes = 3
  }
}
