kernel "other_dma" {
  role     = "dma"
  each     = "dma"
  when     = cclo.dma == "external"
  source   = "xo"
  control  = "user_managed"
  instance = "other_${cclo.index}_${dma.index}"
}
