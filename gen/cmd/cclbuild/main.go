// Cclbuild takes platforms to an .xclbin, here or on a cluster, and shows what
// came of it. Run it with -h.
//
// With -json a build prints an object a line; package progress describes them.
package main

import "github.com/cclforge/cclforge/gen/cmd/cclbuild/internal/command"

func main() { command.Main() }
