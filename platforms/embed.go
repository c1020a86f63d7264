// Package platforms holds the shipped platforms, and the boards, kernels and
// interface generations that platforms share, and what is known of the vendor's tools.
package platforms

import "embed"

// FS holds the shipped descriptions. The platforms are named one by one, because
// a pattern would also match what users put beside them, and a symbolic link or a
// directory of a matching name would keep everything from being built. Users'
// own platforms are read from the directory.
//
//go:embed u200_axis3x.hcl u200_tcp.hcl u200_udp.hcl
//go:embed u250_axis3x.hcl u250_tcp.hcl u250_udp.hcl
//go:embed u280_2022.hcl u280_axis3x.hcl u280_manual.hcl u280_tcp.hcl u280_udp.hcl
//go:embed u50_axis3x.hcl u50_tcp.hcl u50_udp.hcl
//go:embed u55c_axis3x.hcl u55c_rdma.hcl u55c_tcp.hcl u55c_udp.hcl
//go:embed abi boards kernels tools
var FS embed.FS
