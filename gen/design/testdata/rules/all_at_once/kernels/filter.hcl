kernel "filter" {
  like = "user_kernel"

  port "data_from_cclo" {
    axis = "inwards"
  }
