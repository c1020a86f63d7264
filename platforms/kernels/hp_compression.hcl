# Conversion plugin of one compression lane.

kernel "hp_compression" {
  doc      = "Compression plugin: conversion between float32 and float16."
  role     = "compression"
  each     = "lane"
  source   = "rtl"
  control  = "ap_ctrl_none"
  instance = "compression_${cclo.index}_${lane.index}"
  place    = "cclo"

  port "in_r" {
    doc   = "TDEST selects the conversion."
    axis  = "in"
    width = 512
    tdest = 4
    joins = "compression/${lane.index}.operand"
  }

  port "out_r" {
    axis  = "out"
    width = 512
    joins = "compression/${lane.index}.result"
  }

  conversion "float32" "float16" { tdest = 0 }
  conversion "float16" "float32" { tdest = 1 }
}
