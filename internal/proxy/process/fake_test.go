// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is the fake agent: what it does is in fakeEnv. A helper that
// it starts has a connection to the test, so that the test sees its end, which
// a process id would not show for sure.
const (
	fakeEnv = "PROCESS_TEST_FAKE"
	connEnv = "PROCESS_TEST_CONN"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(fakeEnv); what != "" {
		fake(strings.Fields(what))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func fake(what []string) {
	number := func() int {
		n, err := strconv.Atoi(what[1])
		if err != nil {
			panic(err)
		}
		return n
	}
	switch what[0] {
	case "echo": // an agent that ends when its client leaves
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		fmt.Fprint(os.Stderr, "starting\n\x1b[31mError:\x1b[0m no \x07API\u202e key\r\n\n  at main.js:7")
		os.Exit(number())
	case "flood": // ends with this much in both pipes
		done := make(chan bool)
		go func() {
			_, _ = os.Stderr.WriteString(strings.Repeat("e", number()) + "\nlast words\n")
			close(done)
		}()
		_, _ = os.Stdout.WriteString(strings.Repeat("o", number()))
		<-done
	case "polite": // leaves when asked to
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, askSignals()...)
		fmt.Println("ready")
		<-asked
		fmt.Println("bye")
		os.Exit(7)
	case "deaf": // leaves neither at the end of its input nor when asked to
		signal.Ignore(askSignals()...)
		fmt.Println("ready")
		select {}
	case "mute": // closes its output and lives on, until its input ends
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "cwd":
		dir, _ := os.Getwd()
		fmt.Println(dir, os.Getenv("PROCESS_TEST_X"), os.Args[1:])
	case "parent": // starts a helper, which inherits the pipes; then does as what[2] says
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fakeEnv+"="+what[1])
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if strings.HasPrefix(what[1], "runaway") {
			escape(cmd)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until the test has seen the helper
		fmt.Println("parent done")
		fake(what[2:])
	case "helper", "runaway":
		conn := dialTest()
		_, _ = io.Copy(io.Discard, conn)
	case "runaway-chatter": // writes to the agent's output as long as it can
		conn := dialTest()
		go func() {
			for {
				if _, err := os.Stdout.WriteString(strings.Repeat("x", 4096)); err != nil {
					os.Exit(0)
				}
			}
		}()
		_, _ = io.Copy(io.Discard, conn)
	default:
		panic(what)
	}
}

func dialTest() net.Conn {
	signal.Ignore(askSignals()...)
	conn, err := net.Dial("tcp", os.Getenv(connEnv))
	if err != nil {
		panic(err)
	}
	return conn
}
