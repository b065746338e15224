// SPDX-License-Identifier: Apache-2.0

// Package mcpskill carries Agent Skills over the Model Context Protocol, by its
// Skills extension (io.modelcontextprotocol/skills): a server that serves them,
// and a host that uses served ones with care.
//
//	Source --> Server --> skills/list, skills/get, resources/*     (MCP-1, MCP-2)
//
//	Host --> Origin.List, Origin.Get --> Entry
//	           Origin.Load(entry, ask) --> Loaded.Body, Loaded.Read  (MCP-3 to MCP-8)
//
// The protocol itself is the official Go SDK's. What is here is what the extension
// adds to it.
//
// # Serving
//
// A [Server] serves the skills of a [Source]: a file system ([FS]), directories
// ([Dirs]), or a function. It keeps an index of uris, digests and sizes, and reads a
// file anew for each read. A skill that the format or the limits refuse is
// reported and not served. One Server serves any number of connections;
// [Server.Handler] is stateless, so that many processes over the same files can
// stand behind a load balancer.
//
// # Using
//
// What a server sends is text by strangers. A [Host] knows a skill by the pair of
// its own label of the server and the uri ([ID], MCP-3), checks every entry before
// it is shown, and every byte before it is used. [Origin.Load] asks the user first,
// and an approval holds for exactly the files that were approved (MCP-5). A
// [Loaded] skill is the acting window: reads resolve to the files of the entry that
// was held when it was loaded and to no other (MCP-4), and only to the server it
// came from (MCP-6).
//
// A digest that matches says that entry and content belong together. It does not say
// that either can be trusted, and nothing here treats it so.
package mcpskill
