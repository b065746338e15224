// SPDX-License-Identifier: Apache-2.0

package conform

import (
	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/acp/jsonrpc"
	"github.com/skillgraft/skillgraft/internal/rawjson"
)

// CORE-INIT: a connection begins with initialize, which settles the version.
func initChecks() []Check {
	return []Check{
		{ID: "init/answer", Rule: "CORE-INIT", Title: "answers initialize with protocolVersion 2, info and capabilities", run: initAnswer},
		{ID: "init/newer", Rule: "CORE-INIT", Title: "answers a version above all that it has with its highest one", run: initNewer},
		{ID: "init/unsupported", Rule: "CORE-INIT", Title: "refuses a version below all that it has with -32022", Should: true, needs: needSession, run: initUnsupported},
		{ID: "init/first", Rule: "CORE-INIT", Title: "refuses a request before initialize with -32600", needs: needSession, run: initFirst},
		{ID: "init/again", Rule: "CORE-INIT", Title: "answers a second initialize as long as nothing else was asked", Should: true, needs: needSession, run: initAgain},
	}
}

func initAnswer(t *T) {
	d := t.start()
	req := d.request(acp.MethodInitialize, initializeParams(2, knowsSkills))
	f, ok := d.response(req)
	if !ok {
		t.Failf([]Frame{req}, "initialize is not answered within %v", t.opts.Timeout)
	}
	r := f.Result()
	switch version := string(rawjson.Get(r, "protocolVersion")); {
	case r == nil:
		t.Failf([]Frame{req, f}, "initialize is refused")
	case version == "1":
		t.Skipf("the agent speaks version 1 only, and skills exist in version 2 only (ACP-C4)")
	case version != "2":
		t.Failf([]Frame{req, f}, "protocolVersion is %s; a version 2 agent answers 2", version)
	}
	for _, name := range []string{"name", "version"} {
		if s, ok := rawjson.GetString(r, "info", name); !ok || s == "" {
			t.Failf([]Frame{f}, "info.%s is missing: an agent says its name and version", name)
		}
	}
	if c := rawjson.Get(r, "capabilities"); c != nil && !rawjson.IsObject(c) {
		t.Failf([]Frame{f}, "capabilities is no object")
	}
}

func initNewer(t *T) {
	if t.probe.version != "2" {
		t.Skipf("the agent does not speak version 2")
	}
	d := t.start()
	req := d.request(acp.MethodInitialize, initializeParams(4711, plainClient))
	f, ok := d.response(req)
	if !ok {
		t.Failf([]Frame{req}, "initialize with a version of the future is not answered within %v", t.opts.Timeout)
	}
	if v := string(rawjson.Get(f.Result(), "protocolVersion")); v != "2" {
		t.Failf([]Frame{req, f}, "a client that asks for version 4711 is not offered 2, the agent's highest")
	}
}

func initUnsupported(t *T) {
	d := t.start()
	req := d.request(acp.MethodInitialize, initializeParams(0, plainClient))
	f, ok := d.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "initialize with version 0 is not answered within %v", t.opts.Timeout)
	case f.errorCode() != jsonrpc.CodeUnsupportedVersion:
		t.Failf([]Frame{req, f}, "version 0 is below all versions; the answer is the error -32022")
	case !rawjson.IsArray(rawjson.Get(f.ErrorValue(), "data", "supported")):
		t.Failf([]Frame{req, f}, "the error -32022 says in data.supported which versions there are")
	}
}

func initFirst(t *T) {
	d := t.start()
	req := d.request(acp.MethodNewSession, "{"+d.setupParams()+"}")
	f, ok := d.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "a request before initialize is not answered within %v", t.opts.Timeout)
	case f.errorCode() != jsonrpc.CodeInvalidRequest:
		t.Failf([]Frame{req, f}, "a request before initialize is answered with the error -32600")
	}
}

func initAgain(t *T) {
	d := t.connectPlain()
	req := d.request(acp.MethodInitialize, initializeParams(2, knowsSkills))
	f, ok := d.response(req)
	switch {
	case !ok:
		t.Failf([]Frame{req}, "a second initialize is not answered within %v", t.opts.Timeout)
	case string(rawjson.Get(f.Result(), "protocolVersion")) != "2":
		t.Failf([]Frame{req, f}, "initialize may be repeated until something else is asked; the last one counts")
	}
}

// connectPlain initializes and does not log in.
func (t *T) connectPlain() *driver {
	d := t.start()
	d.init = d.must(acp.MethodInitialize, initializeParams(2, plainClient))
	return d
}
