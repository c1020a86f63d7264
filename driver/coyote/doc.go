// Package coyote reaches engines on cards that are built into the Coyote shell: RDMA
// platforms. The shell has a driver for Linux of its own, which shows a file for each
// region of a card; XRT is not needed.
//
//	card, err := coyote.Open(ctx, &u55c_rdma.Card, coyote.Options{Card: 0})
//	defer card.Close()
//	dev, err := card.Engine(ctx, &u55c_rdma.Platform, 0)
//
// The card must have been loaded, by hand, before the shell's driver was: the driver
// cannot load it. What the shell was built with is checked when the card is opened; it
// does not know of which design its application is, which the hardware id of the engine
// tells, when that is opened.
//
// # One process
//
// A region belongs to one process of this project's at a time. The application's own
// transfers are those of thread 0 of the region, so this process has to be given that
// number by the shell's driver; the error is ErrBusy if another program has it. When a
// process dies, the shell's driver takes back all it had, as soon as nobody else has the
// file open.
//
// # Memory
//
// Buffers are huge pages of the host (vm.nr_hugepages says how many there are), at their
// addresses in this process: a page for each small buffer. For buffers in device memory
// the shell has a page of the card's behind each of them, and moves whole pages, so that
// Bytes are a copy of their own. SyncTo of a part of a page fetches the page, changes
// the part, and gives it back: an engine must not write to the same page meanwhile, for
// that would be lost. Memory in host memory is the same bytes for engine and host.
//
// # Signals
//
// The shell's driver takes a signal for the end of a transfer. Calls of it are made with
// all signals blocked.
//
// # What has not been tried
//
// No card has run this: it is rehearsed over a model of the shell's driver, made from
// its published source (package verify/fakecards/coyote).
package coyote
