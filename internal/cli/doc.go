// SPDX-License-Identifier: Apache-2.0

// Package cli is what the commands of skillgraft share: exit statuses, signals,
// logs, the choices that flags make, and how an agent is put behind the proxy.
package cli
