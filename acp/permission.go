// SPDX-License-Identifier: Apache-2.0

package acp

// Selected is the response that chooses an option.
func Selected(optionID string) *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: &SelectedOutcome{OptionID: optionID}}
}

// Cancelled is the response that chooses none, because the work was cancelled.
func Cancelled() *RequestPermissionResponse {
	return &RequestPermissionResponse{Outcome: &CancelledOutcome{}}
}

// Allows reports whether the response approves: it selects an option of the
// request that is of a kind known to allow. Anything unknown does not.
func (r *RequestPermissionResponse) Allows(req *RequestPermissionRequest) bool {
	if r == nil {
		return false
	}
	selected, ok := r.Outcome.(*SelectedOutcome)
	if !ok {
		return false
	}
	for _, o := range req.Options {
		if o.OptionID == selected.OptionID {
			return o.Kind == AllowOnce || o.Kind == AllowAlways
		}
	}
	return false
}

// OptionID is the option that the response selects. It is empty when it selects
// none, and may be called on nil.
func (r *RequestPermissionResponse) OptionID() string {
	if r == nil {
		return ""
	}
	if s, ok := r.Outcome.(*SelectedOutcome); ok {
		return s.OptionID
	}
	return ""
}
