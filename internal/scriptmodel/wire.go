// SPDX-License-Identifier: Apache-2.0

package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// event is one server-sent event: its name, which is also the payload's type. An
// event without a name has data alone.
type event struct {
	name string
	data map[string]any // nil and no name: the end of a Chat stream
}

// speaker is one provider's way to say an answer.
type speaker interface {
	whole(r Request, a Answer) map[string]any // not streamed
	opening(r Request) []event                // streamed, before a hold
	rest(r Request, a Answer) []event         // streamed, after it
	failure(a Answer) map[string]any          // with an HTTP status
}

func (d Dialect) speaker() speaker {
	switch d {
	case Responses:
		return responses{}
	case Chat:
		return chat{}
	case Gemini:
		return gemini{}
	}
	return anthropic{}
}

// callID is the id of an answer's call.
func callID(r Request, i int) string { return fmt.Sprintf("call_%06d_%d", r.Seq, i) }

// plainFailure is the error that all but Gemini send.
func plainFailure(a Answer) map[string]any {
	return map[string]any{
		"type":  "error",
		"error": map[string]any{"type": "scripted_error", "message": a.Text},
	}
}

// eventWriter streams events and flushes each, as a model that thinks would.
type eventWriter struct {
	w http.ResponseWriter
	f http.Flusher
}

func newEventWriter(w http.ResponseWriter) eventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	f, _ := w.(http.Flusher)
	return eventWriter{w, f}
}

// event writes one event. Errors are not returned: a client that is gone also
// cancels the request's context, which is where it is noticed.
func (o eventWriter) event(e event) {
	data := map[string]any{}
	if e.name != "" {
		data["type"] = e.name
		fmt.Fprintf(o.w, "event: %s\n", e.name)
	}
	for k, v := range e.data {
		data[k] = v
	}
	b, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("scriptmodel: an event of plain maps did not marshal: %v", err))
	}
	if e.name == "" && e.data == nil {
		b = []byte("[DONE]")
	}
	fmt.Fprintf(o.w, "data: %s\n\n", b)
	if o.f != nil {
		o.f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

// writeModels lists one model in the shape that the clients of all dialects accept.
func writeModels(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, map[string]any{
		"object":   "list",
		"has_more": false,
		"data":     []any{map[string]any{"type": "model", "object": "model", "id": "fake-model", "display_name": "Fake"}},
	})
}
