// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"strings"
	"testing"
)

// A room is where a package stands.
type room struct {
	dir   string // relative to the module's root
	tree  bool   // the packages below it stand in the same room
	floor int
	wing  string // rooms of one wing also see lower levels of it
	level int
	only  string // when not empty: who alone may import it, in words
}

const cellar = 0

// rooms is the house. A directory belongs to the longest dir that fits.
func rooms() []room {
	return []room{
		{dir: "cmd", tree: true, floor: 4, wing: "cmd", level: 3, only: "nobody: a program has no users but people"},
		{dir: "internal/doctor", floor: 4, wing: "cmd", level: 2},
		{dir: "internal/format", floor: 4, wing: "cmd", level: 2},
		{dir: "internal/cli", floor: 4, wing: "cmd", level: 1},
		{dir: "bench", tree: true, floor: 4, only: "nobody: measurements stand on top of everything"},
		{dir: "examples", tree: true, floor: 4, only: "nobody: examples show how the packages are used"},
		{dir: "interop", tree: true, floor: 4, only: "nobody: it tests the finished program"},
		{dir: "internal/schemagen", tree: true, floor: 4, only: "nobody: it writes source and is not part of any program"},
		{dir: "internal/house", floor: 4, only: "nobody: it has tests only"},

		{dir: "internal/proxy", floor: 3, wing: "proxy", level: 3},
		{dir: "internal/proxy/graft", floor: 3, wing: "proxy", level: 2},
		{dir: "internal/proxy/translate", floor: 3, wing: "proxy", level: 2},
		{dir: "internal/proxy/profile", floor: 3, wing: "proxy", level: 1},
		{dir: "internal/proxy/journal", floor: 3, wing: "proxy", level: 1},
		{dir: "internal/proxy/process", floor: 3, wing: "proxy", level: 1},

		{dir: "internal/agent", floor: 3, wing: "agent", level: 2},
		{dir: "internal/agent/model", tree: true, floor: 3, wing: "agent", level: 1},
		{dir: "internal/agent/sandbox", floor: 3, wing: "agent", level: 1},
		{dir: "internal/agent/audit", floor: 3, wing: "agent", level: 1},

		{dir: "internal/modeltools", floor: 3, wing: "modeltools", level: 1},
		{dir: "internal/conform", floor: 3, wing: "conform", level: 1},
		{dir: "internal/client", floor: 3, wing: "client", level: 1},

		{dir: "acpskill", floor: 2},
		{dir: "mcpskill", floor: 2},
		{dir: "internal/trust", floor: 2},

		{dir: "acp", floor: 1, wing: "acp", level: 2},
		{dir: "acp/v1", floor: 1, wing: "acp", level: 3},
		{dir: "acp/internal/object", floor: 1, wing: "acp", level: 1},
		{dir: "acp/internal/typetest", floor: cellar, only: forTests},
		{dir: "acp/jsonrpc", floor: 1, wing: "acp", level: 1},
		{dir: "skill/catalog", floor: 1, wing: "skill", level: 2},
		{dir: "skill", floor: 1, wing: "skill", level: 1},

		{dir: "internal/rawjson", floor: cellar},
		{dir: "internal/buildinfo", floor: cellar},
		{dir: "internal/scriptmodel", floor: cellar, only: scriptmodelUsers},
	}
}

const forTests = "tests alone"

const scriptmodelUsers = "tests, and interop: it plays a model and must not be in a program"

// roomOf finds the room of a directory.
func roomOf(dir string) (room, error) {
	var found room
	for _, r := range rooms() {
		fits := dir == r.dir || r.tree && strings.HasPrefix(dir, r.dir+"/")
		if fits && len(r.dir) > len(found.dir) {
			found = r
		}
	}
	if found.dir == "" {
		return room{}, fmt.Errorf("%s has no place in the house yet. Decide on which floor it stands, which decides what it may import "+
			"and who may import it, and add a row to rooms() in internal/house/rooms_test.go", dir)
	}
	return found, nil
}

// allowed says nil when a file of one directory may import another directory.
func allowed(from, to string, test bool) error {
	if from == to {
		return nil // an external test of the package
	}
	f, err := roomOf(from)
	if err != nil {
		return err
	}
	t, err := roomOf(to)
	if err != nil {
		return err
	}
	switch {
	case t.only == forTests && test:
		return nil
	case t.only == scriptmodelUsers && (test || f.dir == "interop"):
		return nil
	case t.only != "" && f.dir == t.dir:
		return nil // two packages of one program
	case t.only != "":
		return fmt.Errorf("%s is for %s. If %s needs something of it, move that to a package of a lower floor", to, t.only, from)
	case f.floor == cellar:
		return fmt.Errorf("%s is in the cellar, which everyone uses and which therefore uses nothing of ours; "+
			"pass in what it needs of %s, or move the code up to where that is known", from, to)
	case t.floor < f.floor:
		return nil
	case f.wing != "" && f.wing == t.wing && t.level < f.level:
		return nil
	case f.wing != "" && f.wing == t.wing:
		return fmt.Errorf("inside %s, %s (level %d) does not stand on %s (level %d). Let the package above both pass in what is needed, "+
			"as a small interface or a function, or move the shared part to a lower level", f.wing, from, f.level, to, t.level)
	case f.floor == t.floor:
		return fmt.Errorf("%s and %s are neighbours on floor %d and do not know each other. What joins them belongs one floor up; "+
			"what both need, one floor down", from, to, f.floor)
	default:
		return fmt.Errorf("%s is on floor %d and %s above it on floor %d: an import only goes down. Let the upper package call the lower one, "+
			"and give the lower one an interface for what it needs back", from, f.floor, to, t.floor)
	}
}

// The table is only worth something if wrong imports fail.
func TestAllowed(t *testing.T) {
	for _, tc := range []struct {
		from, to string
		test     bool
		want     string // in the error; empty when the import is fine
	}{
		{from: "cmd/skillgraft", to: "internal/proxy"},
		{from: "cmd/skillgraft", to: "skill"},
		{from: "bench/relay", to: "acp/jsonrpc"},
		{from: "internal/proxy", to: "internal/proxy/graft"},
		{from: "internal/proxy", to: "internal/proxy/journal"},
		{from: "internal/proxy/graft", to: "internal/proxy/profile"},
		{from: "internal/proxy/graft", to: "acpskill"},
		{from: "acpskill", to: "acp"},
		{from: "acpskill", to: "skill/catalog"},
		{from: "acp", to: "acp/jsonrpc"},
		{from: "skill/catalog", to: "skill"},
		{from: "acp/jsonrpc", to: "internal/rawjson"},
		{from: "acp", to: "acp", test: true},
		{from: "interop", to: "internal/scriptmodel"},
		{from: "internal/agent", to: "internal/scriptmodel", test: true},

		{from: "acp", to: "skill", want: "neighbours"},
		{from: "skill/catalog", to: "acp/jsonrpc", want: "neighbours"},
		{from: "acpskill", to: "mcpskill", want: "neighbours"},
		{from: "internal/agent", to: "internal/proxy", want: "neighbours"},
		{from: "acp", to: "acpskill", want: "only goes down"},
		{from: "internal/trust", to: "internal/proxy/graft", want: "only goes down"},
		{from: "acp/jsonrpc", to: "acp", want: "does not stand on"},
		{from: "skill", to: "skill/catalog", want: "does not stand on"},
		{from: "internal/proxy/graft", to: "internal/proxy", want: "does not stand on"},
		{from: "internal/proxy/graft", to: "internal/proxy/translate", want: "does not stand on"},
		{from: "internal/proxy/journal", to: "internal/proxy/profile", want: "does not stand on"},
		{from: "internal/rawjson", to: "acp/jsonrpc", want: "in the cellar"},
		{from: "internal/rawjson", to: "internal/buildinfo", want: "in the cellar"},
		{from: "internal/proxy", to: "internal/scriptmodel", want: "must not be in a program"},
		{from: "cmd/skillgraft", to: "internal/schemagen", want: "is for nobody"},
		{from: "bench/relay", to: "cmd/skillgraft", want: "is for nobody"},
		{from: "skill", to: "internal/attic", want: "no place in the house"},
		{from: "internal/proxy/attic", to: "skill", want: "no place in the house"},
	} {
		err := allowed(tc.from, tc.to, tc.test)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s -> %s is refused: %v", tc.from, tc.to, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s -> %s gives %v, want an error with %q", tc.from, tc.to, err, tc.want)
		}
	}
}
