// Package coyote is a host with modelled cards in the Coyote shell: the operating system as
// package driver/coyote sees it, with a model of the shell's driver after its published source
// (driver/src/vfpga of the shell), and engines, usually emulated. Requests on which the
// shell's driver would hang or crash are reported as faults.
//
// Packets of engines travel on the world's network only between two ranks whose queue pairs
// name each other.
package coyote
