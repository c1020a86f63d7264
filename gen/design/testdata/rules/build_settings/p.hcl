platform "p" {
  board = "u55c"
  poe "tcp" {}

  build {
    link_options = ["-O3", "--platform=mine", "--jobs", "", "two\nlines"]

    vivado = {
      "run.impl_1.STRATEGY"      = "Performance_Explore"
      "prop.run.impl_1.STRATEGY" = "Area_Explore"
      "prop.run.impl_1.STRATEGY" = "Performance_Explore"
      "prop.run=x"               = "y"
      "param.place.x"            = "two\nlines"
    }

    advanced = {
      "param.compiler.userPostSysLinkOverlayTcl" = "mine.tcl"
      "worstNegativeSlack"                       = -1
    }
  }
}
