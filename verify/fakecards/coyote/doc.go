// Package coyote plays hosts with cards in the Coyote shell that are not there: the
// operating system as package driver/coyote sees it, with the shell's driver, made from
// the published source of that (driver/src/vfpga of the shell), and engines, emulated as
// a rule, behind it. What the shell's driver does with what makes no sense, which is to
// go on for ever or to fall, is a fault here.
//
// Queue pairs that are written lead to each other, or nowhere: packets of engines travel
// on the world's network only as far as both ends agree.
package coyote
