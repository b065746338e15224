// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/skillgraft/skillgraft/acp"
)

// A curious agent asks for a colour in each session that is set up.
type curious struct {
	acp.AgentHandler
	answers chan string
}

func (a curious) NewSession(_ context.Context, s *acp.AgentSession, _ *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	s.Go(func(ctx context.Context) {
		form := &acp.CreateElicitationRequest{Message: "Which one?", Mode: acp.ElicitForm, RequestedSchema: &acp.ElicitationSchema{
			Properties: []acp.Named[acp.PropertySchema]{
				{Name: "shade", Value: &acp.BooleanPropertySchema{}}, {Name: "colour", Value: &acp.StringPropertySchema{Enum: []string{"red", "blue"}}},
			},
		}}
		resp, err := s.Elicit(ctx, form)
		if err == nil {
			raw, _ := resp.MarshalJSON()
			a.answers <- string(raw)
		} else {
			a.answers <- err.Error()
		}
		_, err = s.Elicit(ctx, &acp.CreateElicitationRequest{Message: "Open", Mode: acp.ElicitURL, URL: "https://example.com", ElicitationID: "e"})
		var no *acp.UnsupportedError
		if !errors.As(err, &no) || no.Capability != "elicitation.url" {
			a.answers <- "a link was asked for"
		}
		close(a.answers)
	})
	return &acp.NewSessionResponse{}, nil
}

type filler struct {
	acp.ClientHandler
	asked chan string
}

func (f filler) Elicit(_ context.Context, s *acp.ClientSession, r *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	var names []string
	for _, p := range r.RequestedSchema.Properties {
		names = append(names, p.Name+" "+p.Value.PropertyType())
	}
	f.asked <- strings.Join(names, ", ") + " in " + map[bool]string{true: "its session", false: "another"}[s.ID() == r.SessionID]
	return &acp.CreateElicitationResponse{Action: acp.ElicitationAccept, Content: []acp.Named[json.RawMessage]{{Name: "colour", Value: json.RawMessage(`"red"`)}}}, nil
}

func TestElicitation(t *testing.T) {
	for name, tt := range map[string]struct {
		caps *acp.ClientCapabilities
		want string
	}{
		"form": {&acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.Capability{}}}, `{"action":"accept","content":{"colour":"red"}}`},
		"none": {&acp.ClientCapabilities{}, "the peer does not support this (it did not advertise elicitation.form)"},
	} {
		t.Run(name, func(t *testing.T) {
			a, f := curious{answers: make(chan string, 4)}, filler{asked: make(chan string, 4)}
			ours, theirs := net.Pipe()
			served := make(chan error, 1)
			agent := acp.NewAgent(a, &acp.AgentOptions{Info: acp.Implementation{Name: "a", Version: "1"}})
			go func() { served <- agent.Serve(context.Background(), theirs) }()
			client := acp.NewClient(f, &acp.ClientOptions{Info: acp.Implementation{Name: "c", Version: "1"}, Capabilities: tt.caps})
			c, err := client.Connect(t.Context(), ours)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.NewSession(t.Context(), &acp.NewSessionRequest{Cwd: "/w"}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for s := range a.answers {
				got = append(got, s)
			}
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("got %q", got)
			}
			if name == "form" {
				if asked := <-f.asked; asked != "shade boolean, colour string in its session" {
					t.Errorf("asked for %s", asked)
				}
			}
			_ = c.Close()
			<-served
		})
	}
}

// What each mode needs is seen to, and one that is not known keeps all it has.
func TestElicitationModes(t *testing.T) {
	for in, ok := range map[string]bool{
		`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{}}}`:                     true,
		`{"message":"m","mode":"form","requestId":7,"requestedSchema":{"type":"object","properties":{}}}`:                       true,
		`{"message":"m","mode":"form","sessionId":"s"}`:                                                                         false,
		`{"message":"m","mode":"form","requestedSchema":{"type":"object","properties":{}}}`:                                     false,
		`{"message":"m","mode":"form","sessionId":"s","requestId":7,"requestedSchema":{"type":"object","properties":{}}}`:       false,
		`{"message":"m","mode":"url","sessionId":"s","url":"https://example.com","elicitationId":"e"}`:                          true,
		`{"message":"m","mode":"url","sessionId":"s","elicitationId":"e"}`:                                                      false,
		`{"message":"m","mode":"dance","sessionId":"s","steps":[1,2]}`:                                                          true,
		`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{"a":{"type":"hue"}}}}`:   true,
		`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{"a":{"type":"array"}}}}`: false,
	} {
		var r acp.CreateElicitationRequest
		err := r.UnmarshalJSON([]byte(in))
		if (err == nil) != ok {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if ok {
			out, _ := r.MarshalJSON()
			sameJSON(t, string(out), in)
		}
	}
}
