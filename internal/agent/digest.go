// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/skillgraft/skillgraft/skill"
)

// Bounds of what a lasting permission can be bound to.
const (
	maxDigestFiles = 512
	maxDigestBytes = 16 << 20
)

var errNoDigest = errors.New("the skill has too many or too large files")

// digest is the hash of all of a skill's files. A permission that lasts is bound to it
// and not to the script's own alone: a script runs what lies beside it.
func digest(s *skill.Skill) (string, error) {
	files, err := s.Files(maxDigestFiles)
	if err != nil {
		return "", err
	}
	if files.Truncated {
		return "", errNoDigest
	}
	all := sha256.New()
	add := func(name string, data []byte) {
		sum := sha256.Sum256(data)
		fmt.Fprintf(all, "%q %x\n", name, sum)
	}
	source, err := s.ReadSource(0)
	if err != nil {
		return "", err
	}
	add("", source)
	room := int64(maxDigestBytes)
	for _, name := range files.Files {
		data, err := s.ReadFile(name, max(room, 1))
		if err != nil {
			return "", err
		}
		if room -= int64(len(data)); room < 0 {
			return "", errNoDigest
		}
		add(name, data)
	}
	return "sha256:" + hex.EncodeToString(all.Sum(nil)), nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
