toolchain "other" {}
