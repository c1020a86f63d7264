// Package axisswitch tests the network between engines of a card: its kernels and
// the switch that joins them.
package axisswitch
