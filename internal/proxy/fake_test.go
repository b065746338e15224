// SPDX-License-Identifier: Apache-2.0

package proxy

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/skillgraft/skillgraft/acp/jsonrpc"
)

// The test binary is also the agent: what it does is in fakeEnv. Agent and
// helper hold a connection to the test, which sees their end by it; a process id
// would not show that for sure.
const (
	fakeEnv = "PROXY_TEST_FAKE"
	connEnv = "PROXY_TEST_CONN"
)

func TestMain(m *testing.M) {
	switch os.Getenv(fakeEnv) {
	case "agent":
		fakeAgent()
		os.Exit(0)
	case "helper":
		_, _ = io.Copy(io.Discard, dialTest())
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// fakeAgent does what the method of each request says.
func fakeAgent() {
	defer dialTest().Close()
	var late []jsonrpc.ID
	answer := func(id jsonrpc.ID) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id) }
	r := jsonrpc.NewReader(os.Stdin, nil)
	for {
		m, err := r.Next()
		if err != nil {
			break
		}
		switch m.Method {
		case "_wait": // never answered
		case "_late": // answered when the client has left
			late = append(late, m.ID)
		case "_echo":
			answer(m.ID)
		case "_crlf":
			fmt.Printf("\r\n\n{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\r\n", m.ID)
		case "_noise":
			fmt.Printf("Loading...\n\"ready\"\n{\"level\":\"info\",\"id\":%s}\n", m.ID)
			answer(m.ID)
		case "_huge": // an answer over the limit, four times
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":"`, m.ID)
			piece := strings.Repeat("x", 1<<20)
			for range 4 * jsonrpc.MaxLine >> 20 {
				_, _ = os.Stdout.WriteString(piece)
			}
			fmt.Print("\"}\n")
		case "_kill":
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		case "_exit":
			fmt.Fprint(os.Stderr, "starting\nError: no key\n  at main.js:7\n")
			os.Exit(3)
		case "_last": // its last line has no end
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
			os.Exit(0)
		case "_deaf": // reads no more
			answer(m.ID)
			signal.Ignore(syscall.SIGTERM)
			select {}
		case "_mute": // closes its output and lives on
			_ = os.Stdout.Close()
		case "_flood":
			for range 1 << 16 {
				fmt.Println(`{"jsonrpc":"2.0","method":"_x","params":{"t":"` + strings.Repeat("x", 200) + `"}}`)
			}
			answer(m.ID)
		case "_helper": // a process of its own, which outlives it
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fakeEnv+"=helper")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			if err := cmd.Start(); err != nil {
				panic(err)
			}
			answer(m.ID)
		}
	}
	for _, id := range late {
		answer(id)
	}
	signal.Ignore(syscall.SIGTERM) // it has to be killed
	select {}
}

func dialTest() net.Conn {
	conn, err := net.Dial("tcp", os.Getenv(connEnv))
	if err != nil {
		panic(err)
	}
	return conn
}
