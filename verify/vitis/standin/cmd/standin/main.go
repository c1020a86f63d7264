// Command standin acts as one of the vendor's tools, the one that it is called as.
package main

import (
	"os"

	"github.com/cclforge/cclforge/verify/vitis/standin/internal/tool"
)

func main() { os.Exit(tool.Main(os.Args)) }
