// SPDX-License-Identifier: Apache-2.0

// A client with skills: it starts an agent, invokes a skill and prints the answer.
//
//	go-client SKILL TEXT -- AGENT ARGS...      without SKILL: lists them
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

type client struct{ idle chan string }

func (c client) SessionUpdate(_ context.Context, _ *acp.ClientSession, u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AgentMessage:
		blocks, _ := u.Content.Get()
		for _, b := range blocks {
			if text, ok := b.(*acp.Text); ok {
				fmt.Printf("%q\n", text.Text) // quoted: it may hold what controls a terminal
			}
		}
	case *acp.StateUpdate:
		if u.State == acp.StateIdle {
			c.idle <- u.StopReason
		}
	}
}

func (c client) RequestPermission(context.Context, *acp.ClientSession, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	return acp.Cancelled(), nil // nobody is there to ask
}

func run(ctx context.Context, blocks []acp.ContentBlock, argv []string) error {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = os.Stderr
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Wait() }()
	c := client{make(chan string, 1)}
	options := &acp.ClientOptions{Info: acp.Implementation{Name: "go-client", Version: "1"}, Capabilities: acp.SkillClient()}
	conn, err := acp.NewClient(c, options).Connect(ctx, jsonrpc.Join(out, in))
	if err != nil {
		return err
	}
	defer conn.Close()
	dir, _ := os.Getwd()
	session, _, err := conn.NewSession(ctx, &acp.NewSessionRequest{Cwd: dir})
	if err != nil {
		return err
	}
	if blocks == nil {
		for _, s := range session.Skills() {
			fmt.Printf("%q: %q\n", s.Name, s.Description)
		}
		return nil
	}
	if _, err := session.Prompt(ctx, blocks...); err != nil {
		return err
	}
	fmt.Println("stopped:", <-c.idle)
	return nil
}

func main() {
	at := slices.Index(os.Args, "--")
	if at != 1 && at != 3 || at == len(os.Args)-1 {
		log.Fatal("usage: go-client [SKILL TEXT] -- AGENT ARGS...")
	}
	var blocks []acp.ContentBlock
	if at == 3 {
		blocks = []acp.ContentBlock{acp.SkillBlock(os.Args[1]), acp.TextBlock(os.Args[2])}
	}
	if err := run(context.Background(), blocks, os.Args[at+1:]); err != nil {
		log.Fatal(err)
	}
}
