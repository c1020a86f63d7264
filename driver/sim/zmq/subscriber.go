package zmq

import "bytes"

const (
	topicBytes    = 64 << 10  // of all topics of a subscriber
	topicCount    = 1 << 10   // of a subscriber
	batchBytes    = 256 << 10 // written together
	batchMessages = 64
	messageCost   = 64 // bytes that a message takes in a queue beside its own
)

// subscriber is the state of one peer of a Publisher, guarded by its lock.
type subscriber struct {
	conn *Conn
	wake chan struct{} // something is queued
	gone chan struct{}

	topics map[string]struct{}
	length int // of all topics

	queue  [][][]byte
	queued int  // bytes in the queue or being written
	busy   bool // somebody waits for room
}

func newSubscriber(c *Conn) *subscriber {
	return &subscriber{
		conn: c, wake: make(chan struct{}, 1), gone: make(chan struct{}),
		topics: map[string]struct{}{},
	}
}

// add reports false if there are too many topics.
func (s *subscriber) add(topic []byte) bool {
	if _, known := s.topics[string(topic)]; known {
		return true
	}
	if len(s.topics) >= topicCount || s.length+len(topic) > topicBytes {
		return false
	}
	s.topics[string(topic)] = struct{}{}
	s.length += len(topic)
	return true
}

func (s *subscriber) remove(topic []byte) {
	if _, known := s.topics[string(topic)]; known {
		delete(s.topics, string(topic))
		s.length -= len(topic)
	}
}

func (s *subscriber) has(topic []byte) bool {
	if _, all := s.topics[""]; all {
		return true
	}
	_, this := s.topics[string(topic)]
	return this
}

func (s *subscriber) wants(topic []byte) bool {
	if s.has(topic) {
		return true
	}
	for prefix := range s.topics {
		if bytes.HasPrefix(topic, []byte(prefix)) {
			return true
		}
	}
	return false
}

func cost(frames [][]byte) int { return messageCost + size(frames) }

func (s *subscriber) push(frames [][]byte) {
	s.queue = append(s.queue, frames)
	s.queued += cost(frames)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// pull takes messages from the queue that are to be written together.
func (s *subscriber) pull() (batch [][][]byte, bytes int) {
	for len(s.queue) > 0 && len(batch) < batchMessages && bytes < batchBytes {
		batch = append(batch, s.queue[0])
		bytes += cost(s.queue[0])
		s.queue[0] = nil
		s.queue = s.queue[1:]
	}
	return batch, bytes
}

// sent removes written bytes from the count, and reports whether Publish waits for the
// room that there is now.
func (s *subscriber) sent(bytes, low int) bool {
	s.queued -= bytes
	if !s.busy || s.queued > low {
		return false
	}
	s.busy = false
	return true
}
