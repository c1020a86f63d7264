# A plugin of which some functions are mistakes.

platform "faulty" {
  board = "u55c"

  cclo {
    count = 2
  }

  type "twice" {
    bytes = 4
    doc   = "Its sum reads an operand twice."
  }
  type "forgets" {
    bytes = 4
    doc   = "Its sum forgets the last beat."
  }
  type "more" {
    bytes = 4
    doc   = "Its sum writes a beat more."
  }
  type "endless" {
    bytes = 4
    doc   = "Its sum has no TLAST."
  }
  type "early" {
    bytes = 4
    doc   = "Its sum has TLAST early."
  }
  type "keep" {
    bytes = 4
    doc   = "Its sum has another TKEEP."
  }
  type "leaves" {
    bytes = 4
    doc   = "Its sum leaves a beat of an operand."
  }
  type "wrongly" {
    bytes = 4
    doc   = "Its sum writes where it reads."
  }
  type "stuck" {
    bytes = 4
    doc   = "Its sum never comes back."
  }
  type "looks" {
    bytes = 4
    doc   = "Its sum looks at a stream for ever."
  }
  type "throws" {
    bytes = 4
    doc   = "Its sum throws."
  }
  type "patient" {
    bytes = 4
    doc   = "Its sum counts looks at a stream before it goes on, which it may."
  }

  poe "tcp" {
    port = 0
  }

  poe "tcp" {
    port = 1
  }

  arithmetic "faulty_ops" {}
}
