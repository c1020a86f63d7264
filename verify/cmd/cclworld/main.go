// Cclworld serves ranks of an emulated platform to host programs that speak the
// simulation protocol, and spreads them over processes and hosts. Run it with -h.
//
// With -json it prints an object a line:
//
//	{"event":"ready","pid":8687,"platform":"u55c_tcp","board":"u55c","generation":"accl-2024","stack":"tcp",
//	 "network":"sockets","host":"127.0.0.1","port":5500,"size":4,"launcher":"OpenMPI","process":0,"processes":2,
//	 "faults":"{…}","warnings":["…"],"ranks":[{"rank":0,"commands":"127.0.0.1:5500","packets":"127.0.0.1:5504",
//	 "kernel_out":"127.0.0.1:5508","kernel_in":"127.0.0.1:5512","poe":"127.0.0.1:5516"}]}
//	{"event":"health","rank":0,"clients":1,"calls":7,"calls_open":0,"requests":{"mmio_read":9,…},"refused":0,
//	 "bytes_in":0,"bytes_out":0,"packets_out":0,"packets_in":0,"network_out":0,"network_in":0,"dropped":0,
//	 "rx_used":0,"rx_free":16,"device_bytes":0,"kernels":[{"instance":"vadd_0_0","doing":"…",
//	 "streams":[{"name":"data_to_cclo","beats":0},…]}],"network":"…","failure":"…"}
//	{"event":"failed","rank":0,"error":"…"}
//	{"event":"stopped"}
//
// Ready comes when all sockets are bound; host and port are where clients of these
// ranks connect. Of health, calls_open and what follows rx_used are of now, the
// rest counts from the start, in requests, packets and bytes.
//
// Ranks are those of the process; addresses that a rank does not have, and what
// is empty, are left out.
package main

import "github.com/cclforge/cclforge/verify/cmd/cclworld/internal/command"

func main() { command.Main() }
