// Package coyote reaches engines on cards that are built into the Coyote shell: RDMA
// platforms. The shell has its own Linux driver, with a file for each region of a card;
// XRT is not needed.
//
//	card, err := coyote.Open(ctx, &u55c_rdma.Card, coyote.Options{Card: 0})
//	defer card.Close()
//	dev, err := card.Engine(ctx, &u55c_rdma.Platform, 0)
//
// The card must be loaded by hand before the shell's driver is: the driver cannot load
// it. Open checks what the shell was built with. The shell cannot tell the design of its
// application; accl.Open checks that by the hardware id of the engine.
//
// # One process
//
// A region belongs to one process at a time. The application's own transfers use thread 0
// of the region, so the shell's driver must assign that thread to this process; the error
// is ErrBusy if another program has it. When a process ends, the shell's driver releases
// what it had, as soon as no other process has the file open.
//
// # Memory
//
// Buffers are huge pages of the host (vm.nr_hugepages sets their number) at their
// addresses in this process; each small buffer takes a page. For buffers in device
// memory, the shell has a page of the card for each of them, and moves whole pages; Bytes
// is the host's copy. SyncTo of a part of a page fetches the page, changes the part, and
// writes the page back: an engine must not write to the same page meanwhile, because its
// data would be lost. Buffers in host memory are shared by engine and host.
//
// # Signals
//
// The shell's driver takes a signal for the end of a transfer, so this package blocks all
// signals during its calls.
//
// # Not tried on cards
//
// No card has run this. It is tested with a model of the shell's driver, written from its
// published source (package verify/fakecards/coyote).
package coyote
