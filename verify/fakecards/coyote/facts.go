package coyote

// Calls of the shell's driver (driver/include/coyote_defs.h).
const (
	registerCTID   = 0x40084601
	unregisterCTID = 0x40084602
	mapUserMem     = 0x40084605
	unmapUserMem   = 0x40084606
	offloadReq     = 0x40084609
	syncReq        = 0x4008460A
	setIPAddress   = 0x4008460B
	setMACAddress  = 0x4008460C
	getIPAddress   = 0x8008460D
	getMACAddress  = 0x8008460E
	readConfig     = 0x8008460F
	netStats       = 0x80084611

	maxUserArgs = 32 // words
)

// names are those of the calls, and of what programs ask of the operating system.
var names = map[uint32]string{
	registerCTID: "REGISTER_CTID", unregisterCTID: "UNREGISTER_CTID", mapUserMem: "MAP_USER_MEM",
	unmapUserMem: "UNMAP_USER_MEM",
	offloadReq:   "OFFLOAD_REQ", syncReq: "SYNC_REQ", setIPAddress: "SET_IP_ADDRESS", setMACAddress: "SET_MAC_ADDRESS",
	getIPAddress: "GET_IP_ADDRESS", getMACAddress: "GET_MAC_ADDRESS", readConfig: "READ_SHELL_CONFIG",
	netStats: "SHELL_NET_STATS",
}

// What else programs ask for, by the names of the functions.
const (
	opens   = "open"
	locks   = "flock"
	maps    = "mmap"
	unmaps  = "munmap"
	pages   = "mmap(MAP_HUGETLB)"
	returns = "munmap(pages)"
	closes  = "close"
)

// Windows, and registers of that of the region, which are 8 bytes each
// (sw/include/coyote/cDefs.hpp).
const (
	pageBytes   = 4096
	windowBytes = 64 << 10
	configPage  = 1
	controlPage = 3

	arpRegister  = 36
	pairRegister = 40 // three of them; the last one counts
	connRegister = 44 // likewise
)

const (
	flagAVX     = 1 << 0
	flagStreams = 1 << 2
	flagMemory  = 1 << 3
	flagRDMA    = 1 << 16
	regionsAt   = 48

	// Flags are the flags of a shell built by this project.
	Flags = flagStreams | flagMemory | flagRDMA | 1<<regionsAt
)

const (
	ctids     = 64 // chunks of the driver's list of threads
	ctidBits  = 6
	mapsBytes = 1 << 48 // addresses
)
