// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"sync"

	"github.com/skillgraft/skillgraft/internal/agent/model"
)

// A pool has the models that sessions use, each once, with its connections. It is
// safe for concurrent use.
type pool struct {
	open func(spec string) (model.Model, error)

	mu     sync.Mutex
	opened map[string]model.Model
}

// get opens a model, unless it is open. There is none for [ModelOffline].
func (p *pool) get(spec string) (model.Model, error) {
	if spec == ModelOffline {
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.opened[spec]; m != nil {
		return m, nil
	}
	open := p.open
	if open == nil {
		open = func(spec string) (model.Model, error) { return model.Open(spec, nil) }
	}
	m, err := open(spec)
	if err != nil {
		return nil, err
	}
	if p.opened == nil {
		p.opened = map[string]model.Model{}
	}
	p.opened[spec] = m
	return m, nil
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.opened {
		m.Close()
	}
	p.opened = nil
}
