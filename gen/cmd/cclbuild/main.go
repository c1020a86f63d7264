// Cclbuild takes platforms to an .xclbin, here or on a cluster, and shows what
// came of it. Run it with -h.
//
// With -json a build prints an object a line: what package progress describes, and then
//
//	{"schema":1,"time":"…","event":"diagnosis","step":"u55c_tcp/link/u55c_tcp","error":"…","lines":["…"],
//	 "cause":"…","hint":"…","log":"…","again":"…"}
//	{"schema":1,"time":"…","event":"built","platform":"u55c_tcp","files":["…"],"report":"…","page":"…","misses":["…"]}
//
// for each step that has failed and each platform that is complete. Misses are those of
// timing.
package main

import "github.com/cclforge/cclforge/gen/cmd/cclbuild/internal/command"

func main() { command.Main() }
