# Conversion plugin of one compression lane.

kernel "hp_compression" {
  doc    = "Compression plugin: conversion between float32 and float16."
  like   = "compression_plugin"
  source = "rtl"

  hls {
    files = ["hp_compression.hpp", "ieee754.hpp"]
  }

  conversion "float32" "float16" { tdest = 0 }
  conversion "float16" "float32" { tdest = 1 }
}
