// SPDX-License-Identifier: Apache-2.0

// Package proxy stands between a client and an agent: it starts the agent, runs
// one loop for each direction, and passes messages through a chain of stages: the
// graft, which adds skills, and two that translate between the versions.
//
//	client --> Reader --> Down --> graft --> Up --> Writer --> agent
//	client <-- Writer <-- Down <-- graft <-- Up <-- Reader <-- agent
//
// One goroutine reads a direction and one queue leads to each side, so nothing
// can overtake (PXY-2). What a stage leaves alone is written as the bytes that
// were read (PXY-1).
package proxy
