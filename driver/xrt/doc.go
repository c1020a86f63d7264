// Package xrt reaches engines on Alveo cards through XRT. Its library is loaded when the
// first card is opened: programs are built without it, and without cgo.
//
//	card, err := xrt.Open(ctx, &u55c_tcp.Card, xrt.Options{Card: "0", Xclbin: "u55c_tcp.xclbin"})
//	defer card.Close()
//	dev, err := card.Engine(ctx, &u55c_tcp.Platform, 0)
//	e, err := u55c_tcp.Open(ctx, dev, ranks, local)
//
// # Cards
//
// A card is named by its index or its PCI address. If it does not hold the file already,
// it is loaded. This takes seconds, stops other users of the card, and cannot be
// interrupted. The kernels and memories that the file lists must agree with the design;
// otherwise the error lists the differences.
//
// Several processes can share a card, each with its own engines: a kernel belongs to the
// process that accesses its registers first, until the process closes the card or ends.
//
// With XCL_EMULATION_MODE=hw_emu, XRT emulates a card for a platform that was linked for
// hardware emulation. This has not been tried with this driver.
//
// # Calls
//
// Calls are placed through the registers of a host controller, up to 32 at a time.
// Answers are polled for, without pauses at first and then at growing intervals. Clients
// are host controllers; most platforms have one. A host controller of another project,
// which only has ap_start, takes one call at a time.
//
// # Memory
//
// Buffers lie in the banks that all DMA engines of an engine reach. XRT chooses their
// addresses. Engines reach host memory if the platform has host_memory; it must be
// enabled on the host (xbutil configure --host-mem). Peer-to-peer memory is device memory
// that the host and other PCIe devices reach through the card's BAR.
//
// # Errors
//
// XRT prints messages on standard error. Errors of this package name the operation and
// the code that XRT returns, and match ErrLibrary if XRT is not installed, ErrNoCard,
// ErrBusy, ErrDesign, ErrRefused and so on.
package xrt
