// Package vitis tests builds: the command builds platforms to an .xclbin with stand-ins for
// the vendor's tools, also while tools fail, are killed, or find damaged files.
package vitis
