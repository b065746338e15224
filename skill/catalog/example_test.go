// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/skillgraft/skillgraft/skill/catalog"
)

// A session opens the catalog of its directories, hears of changes and resolves names.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	add := func(name string) {
		d := filepath.Join(dir, ".agents", "skills", name)
		if err := os.MkdirAll(d, 0o755); err != nil {
			log.Fatal(err)
		}
		src := "---\nname: " + name + "\ndescription: An example.\n---\nInstructions.\n"
		if err := os.WriteFile(filepath.Join(d, "SKILL.md"), []byte(src), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	add("first")

	ctx := context.Background()
	store := catalog.NewStore(nil) // one a process
	defer store.Close()
	c, err := store.Open(ctx, catalog.Options{Workspace: []string{dir}}) // one a session
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	changed := make(chan *catalog.Snapshot, 1)
	c.Subscribe(func(s *catalog.Snapshot) {
		if len(s.Skills()) == 2 {
			changed <- s
		}
	})
	fmt.Println(len(c.Snapshot().Skills()), "skill")

	add("second")
	s := <-changed
	fmt.Println(len(s.Skills()), "skills")
	if e, ok := s.Lookup("second"); ok {
		fmt.Println(e.ID, e.Scope, e.DisplayDescription())
	}
	// Output:
	// 1 skill
	// 2 skills
	// second workspace An example.
}
