// Package target opens the ranks of a world that a short text names, for tools that work
// on any of them:
//
//	u55c_tcp              emulated engines of a platform, in this process
//	verilated:u55c_tcp    the same, simulated from the hardware
//	sim:localhost:5500    engines that somebody serves over the simulation protocol
//
// Others are added by Register. A process alone has all ranks of the world. Started by
// mpirun or srun, or told by the flags of package bringup, each process has one: they find
// each other as bringup has them, and the text is the same for all. Emulated engines are
// on sockets then.
package target
