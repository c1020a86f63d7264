// Package faults makes the network of a world bad, as a user asks: a Plan has the
// faults of all links, with exceptions for some links and spans of time, and is put
// in force on the network in process or on any port.
//
// A plan is given as one HCL object, or as the body of a file:
//
//	{loss = 0.01, latency = "2ms", links = {"0-2" = {loss = 0.2, from = "5s", to = "8s"}}}
//
// Its attributes, each of which may be left out:
//
//	attribute   value                  what it does to each link, which is one direction between two ranks
//	seed        whole number           decides which packets suffer; without it one is chosen, and printed
//	latency     "2ms", "1.5s"          from departure to arrival
//	jitter      "200us"                at most added to the latency; order is kept
//	bandwidth   "1GB/s", "10Gbit/s"    rate of payload and 64 bytes for each packet; also k, M, T, and KiB to TiB; 0 no limit
//	loss        0 to 1                 probability that a packet is lost
//	corrupt     0 to 1                 that it is damaged, which the frame check turns into loss
//	duplicate   0 to 1                 that it arrives twice
//	reorder     0 to 1                 that it arrives after one to three later ones
//	links       [{ranks = "0-2", …}]   exceptions for some links, see below
//	partitions  [{groups = …, …}]      ranks that are cut off from each other
//	kills       [{rank = 3, at = …}]   ranks whose port closes
//
// Only UDP loses, duplicates and reorders: other transports repair that, and
// there the four probabilities mean nothing.
//
// A link has the attributes above from latency to reorder; without one, that of all
// links holds. It also has
//
//	ranks       "0-2"                  both ways between two ranks; "0>2" one way; "*" is any rank:
//	                                   "*>3"; "3" is short for "3-*", and "*" for "*-*"
//	cut         true                   nothing gets through: lost on UDP, elsewhere it waits for the end
//	from, to    "5s"                   when it holds, in time since the start; without, from the start, for ever
//
// If several exceptions set the same attribute of a link at some time, the last one
// wins. A partition has from and to as well, and
//
//	groups      [[0, 1], [2, 3]]       ranks of different groups are cut off from each other, and from ranks in none
//
// Several partitions at a time all cut. A kill has
//
//	rank        3
//	at          "20s"                  when the port of the rank closes, in time since the start
//
// links and kills may also be objects whose keys are the ranks, and in files
// they may be blocks, as partitions may:
//
//	latency = "2ms"
//	link "0-2" {
//	  loss = 0.2
//	  from = "5s"
//	  to   = "8s"
//	}
//	partition {
//	  groups = [[0, 1], [2, 3]]
//	  from   = "10s"
//	  to     = "12s"
//	}
//	kill "3" { at = "20s" }
//
// Files may have locals, and values may be any expressions, as in descriptions
// of platforms.
package faults
