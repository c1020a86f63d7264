package standin

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Entry is a line of the log: the beginning of a call (Exit nil) or its end.
type Entry struct {
	PID  int
	Time time.Time
	Tool string
	Args []string          `json:",omitempty"`
	Dir  string            `json:",omitempty"`
	Env  map[string]string `json:",omitempty"`
	// Inputs and Outputs are hashes of the files that the tool read and wrote, by
	// name as it was given.
	Inputs  map[string]string `json:",omitempty"`
	Outputs map[string]string `json:",omitempty"`
	// Notes are what else is worth knowing: widths that were adapted, faults.
	Notes []string `json:",omitempty"`
	Exit  *int     `json:",omitempty"`
}

// Record adds a line to the log, whole also when several write.
func (s *Site) Record(c Entry) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.Root, callsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(line, '\n'))
	return err
}

// Lines reads the log.
func (s *Site) Lines() ([]Entry, error) {
	f, err := os.Open(filepath.Join(s.Root, callsFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var calls []Entry
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var c Entry
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", f.Name(), len(calls)+1, err)
		}
		calls = append(calls, c)
	}
	return calls, in.Err()
}

// Forget empties the log.
func (s *Site) Forget() error {
	if err := os.Remove(filepath.Join(s.Root, callsFile)); !os.IsNotExist(err) {
		return err
	}
	return nil
}
