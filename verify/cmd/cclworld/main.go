// Cclworld serves ranks of an emulated platform to host programs that speak the
// simulation protocol, and spreads them over processes and hosts. Run it with -h.
//
// With -json it prints an object a line:
//
//	{"event":"ready","platform":"u55c_tcp","board":"u55c","generation":"accl-2024","stack":"tcp",
//	 "network":"sockets","size":4,"launcher":"OpenMPI","process":0,"processes":2,"faults":"{…}",
//	 "warnings":["…"],"ranks":[{"rank":0,"commands":"127.0.0.1:5500","packets":"127.0.0.1:5504",
//	 "kernel_out":"127.0.0.1:5508","kernel_in":"127.0.0.1:5512","poe":"127.0.0.1:5516"}]}
//	{"event":"health","rank":0,…}
//	{"event":"failed","rank":0,"error":"…"}
//	{"event":"stopped"}
//
// Ranks are those of the process; addresses that a rank does not have, and what
// is empty, are left out.
package main

import "github.com/cclforge/cclforge/verify/cmd/cclworld/internal/command"

func main() { command.Main() }
