// SPDX-License-Identifier: Apache-2.0

package acp_test

import (
	"testing"

	"github.com/skillgraft/skillgraft/acp/internal/typetest"
)

type value = typetest.Value

func suite() typetest.Suite {
	return typetest.Suite{Types: generatedTypes, Schema: schemaFiles(), Messages: 20}
}

func TestGeneratedTypes(t *testing.T) { suite().All(t) }

func FuzzRecordedRoundTrip(f *testing.F) { suite().Fuzz(f) }
