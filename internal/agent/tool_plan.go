// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"slices"

	"github.com/skillgraft/skillgraft/acp"
	"github.com/skillgraft/skillgraft/internal/agent/model"
)

const (
	planID         = "plan"
	maxPlanEntries = 50
)

// planTool is how the model shows what it is going to do.
func planTool() *tool {
	statuses := []string{acp.PlanPending, acp.PlanInProgress, acp.PlanCompleted, acp.PlanCancelled}
	return &tool{Tool: model.Tool{Name: "update_plan", Description: "Show the user the plan for a task of several steps, and again whenever a step begins or ends. Each call replaces the plan.", Schema: schema(
		property{name: "entries", kind: "array", description: "The steps, in order.", items: map[string]any{
			"type": "object", "required": []string{"content", "status"}, "additionalProperties": false,
			"properties": map[string]any{
				"content": map[string]any{"type": "string"},
				"status":  map[string]any{"type": "string", "enum": statuses},
			},
		}},
	)}, run: func(_ context.Context, c *call) outcome {
		var args struct {
			Entries []struct{ Content, Status string }
		}
		if problem, ok := c.args(&args); !ok {
			return problem
		}
		c.open(acp.ToolKindThink, "Update the plan", false)
		if len(args.Entries) > maxPlanEntries {
			return failure("a plan has at most %d entries", maxPlanEntries)
		}
		plan := &acp.PlanItems{PlanID: planID, Entries: []acp.PlanEntry{}}
		for _, e := range args.Entries {
			if !slices.Contains(statuses, e.Status) {
				e.Status = acp.PlanPending
			}
			plan.Entries = append(plan.Entries, acp.PlanEntry{Content: e.Content, Priority: acp.PriorityMedium, Status: e.Status})
		}
		c.s.report(&acp.PlanUpdate{Plan: plan})
		return outcome{text: "The user sees the plan.", silent: true}
	}}
}
