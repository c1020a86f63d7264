package store

// Drop removes a damaged result, so that nobody uses it while it is made again. The
// caller holds its lock.
func (s *Store) Drop(key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := s.discard(s.ResultDir(key)); err != nil && !absent(err) {
		return err
	}
	return nil
}
