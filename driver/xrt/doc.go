// Package xrt reaches engines on Alveo cards through XRT. Its library is loaded when
// the first card is opened: programs are built without it, and without cgo.
//
//	card, err := xrt.Open(ctx, &u55c_tcp.Card, xrt.Options{Card: "0", Xclbin: "u55c_tcp.xclbin"})
//	defer card.Close()
//	dev, err := card.Engine(ctx, &u55c_tcp.Platform, 0)
//	e, err := u55c_tcp.Open(ctx, dev, ranks, local)
//
// # Cards
//
// A card is named by its index or its PCI address. If it holds the file already, it is
// left alone; otherwise it is loaded, which takes seconds, ends what others do on the
// card, and cannot be interrupted. What the file says about its kernels and memories
// must be what the design says; if it is not, the error lists the differences.
//
// Several processes can share a card, each with engines of its own: a kernel belongs to
// the process that uses its registers first, until that closes the card or dies.
//
// With XCL_EMULATION_MODE=hw_emu, XRT emulates a card for a platform that is linked for
// hardware emulation; nobody has tried that with this driver.
//
// # Calls
//
// Calls are placed by the registers of a host controller, with up to 32 on their way, and
// their answers are polled for, without rest at first and then ever less often. Clients
// are host controllers, of which most platforms have one. Behind a host controller of
// others, which only has ap_start, there is one call at a time.
//
// # Memory
//
// Buffers lie in the banks that all DMA engines of an engine reach. XRT chooses their
// addresses. Host memory is shared with the engine if the platform has host_memory, and
// must be enabled on the host (xbutil configure --host-mem). Peer-to-peer memory is device
// memory that the host, and other PCIe devices, see through the card's BAR.
//
// # What fails
//
// XRT prints what it has to say on standard error; errors here say what was being done,
// and the code that XRT gives. They match ErrLibrary if XRT is not there, ErrNoCard,
// ErrBusy, ErrDesign, ErrRefused and the like.
package xrt
