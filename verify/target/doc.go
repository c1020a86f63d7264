// Package target opens the ranks of a world that a short text names, for tools that work
// on any of them:
//
//	u55c_tcp              emulated engines of a platform, in this process
//	verilated:u55c_tcp    the same, simulated from the hardware
//	sim:localhost:5500    engines that somebody serves over the simulation protocol
//
// Register adds kinds. A single process has all ranks of the world. Processes that mpirun
// or srun starts, or that have the flags of package bringup, have one rank each and find
// each other through bringup; all get the same text. Emulated engines share memory then
// with those of their host, and use sockets to reach others.
package target
