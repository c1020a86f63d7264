package socket

import "fmt"

// UDPStats are the counters of a UDP port.
type UDPStats struct {
	Sent, Received    uint64 // packets
	BytesOut, BytesIn uint64 // payload of these
	Failed            uint64 // the system refused to send them
	Nowhere           uint64 // to no session, or before the port was bound
	Strangers         uint64 // from addresses to which no session leads
	Short             uint64 // less than a header
	TooLarge          uint64 // more than 4096 bytes
	Overflow          uint64 // beyond the window of their session
	System            uint64 // beyond the system's buffer
	ReadBuffer        int    // bytes that the system holds, as it counts them
}

// Dropped counts packets that arrived and were dropped.
func (s UDPStats) Dropped() uint64 {
	return s.Strangers + s.Short + s.TooLarge + s.Overflow + s.System
}

// String lists the values in one line.
func (s UDPStats) String() string {
	return fmt.Sprintf(
		"out %d packets %d bytes, %d failed, %d to nowhere; in %d packets %d bytes; dropped %d of strangers, %d short, %d "+
			"too large, %d beyond the window, %d beyond the read buffer of %d bytes",
		s.Sent, s.BytesOut, s.Failed, s.Nowhere, s.Received, s.BytesIn, s.Strangers, s.Short, s.TooLarge, s.Overflow,
		s.System, s.ReadBuffer)
}

// sent counts a packet that was given to the system.
func (p *UDPPort) sent(bytes int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.stats.Failed++
		return
	}
	p.stats.Sent++
	p.stats.BytesOut += uint64(bytes)
}

// Stats returns the values of now.
func (p *UDPPort) Stats() UDPStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	if d := p.socket; d != nil {
		s.System += kernelDrops(d.raw)
		s.ReadBuffer = readBuffer(d.raw)
	}
	return s
}

// String says where the port is, and what it has done.
func (p *UDPPort) String() string { return fmt.Sprintf("UDP %v: %v", p.LocalAddr(), p.Stats()) }

// TCPStats are the counters of a TCP port.
type TCPStats struct {
	Sent, Received    uint64 // packets
	BytesOut, BytesIn uint64 // payload of these
	Lost              uint64 // were to be sent when their session ended
	Accepted          uint64 // connections that came
	Refused           uint64 // connections beyond the limit
	Strange           uint64 // connections that said nothing that makes sense
	Broken            uint64 // sessions that ended with an error
	Sessions          int    // that are known now
	Open              int    // of these, those with a connection
}

// String lists the values in one line.
func (s TCPStats) String() string {
	return fmt.Sprintf(
		"out %d packets %d bytes, %d lost; in %d packets %d bytes; %d connections accepted, %d beyond the limit, %d "+
			"strange; %d sessions broken, %d of %d open",
		s.Sent, s.BytesOut, s.Lost, s.Received, s.BytesIn, s.Accepted, s.Refused, s.Strange, s.Broken, s.Open, s.Sessions)
}

// Stats returns the values of now.
func (p *TCPPort) Stats() TCPStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	seen := map[*session]bool{}
	for _, session := range p.sessions.numbers {
		if !seen[session] && session.link.state == up {
			s.Open++
		}
		seen[session] = true
	}
	s.Sessions = len(seen)
	return s
}

// String says where the port listens, and what it has done.
func (p *TCPPort) String() string { return fmt.Sprintf("TCP %v: %v", p.LocalAddr(), p.Stats()) }
