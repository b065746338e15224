// SPDX-License-Identifier: Apache-2.0

package v1

// check sees to what a form and a link each need, and to it that the request
// belongs to a session or to another request.
func (x *CreateElicitationRequest) check() error {
	missing := func(name string) error { return &FieldError{Path: name, Reason: "is missing"} }
	switch {
	case x.Mode == ElicitForm && x.RequestedSchema == nil:
		return missing("requestedSchema")
	case x.Mode == ElicitURL && x.URL == "":
		return missing("url")
	case x.Mode == ElicitURL && x.ElicitationID == "":
		return missing("elicitationId")
	case (x.SessionID == "") == (x.RequestID == nil):
		return &FieldError{Reason: "has to name a session or a request, and not both"}
	}
	return nil
}

// check sees to it that there is a result or an error.
func (x *MessageMCPResponse) check() error {
	if (x.Result == nil) == (x.Error == nil) {
		return &FieldError{Reason: "has to have a result or an error, and not both"}
	}
	return nil
}
