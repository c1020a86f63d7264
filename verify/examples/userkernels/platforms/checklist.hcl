# Two files of one's own, made by templates that stand beside this file.

platform "checklist" {
  doc   = "Two engines, with a list for whoever puts the card in."
  board = "u280"

  cclo {
    count = 2
  }

  poe "tcp" {
    port = 0
  }

  poe "tcp" {
    port = 1
  }

  arithmetic "reduce_ops" {}

  output "bringup" {
    template = "bringup.md.tmpl"
    path     = "docs/bringup.md"
  }

  output "cluster" {
    template = "cluster.yaml.tmpl"
    path     = "cluster.yaml"
  }
}
