// SPDX-License-Identifier: Apache-2.0
//
// A client built on the official SDK. It starts the agent, opens a session, sends
// one prompt, resumes the session with a replay, and prints what it was told.
//
//   node client.mjs CWD BLOCKS -- AGENT ARGS...      BLOCKS is the prompt as JSON
//
// The result is one JSON object: `typed` is what the SDK made of it, `raw` are the
// agent's lines as they came.
import { spawn } from "node:child_process";
import { Readable, Transform, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";

const [cwd, blocks, , command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });

let text = "";
const record = new Transform({
  transform(chunk, _encoding, done) {
    text += chunk.toString("utf8");
    done(null, chunk);
  },
});
agent.stdout.pipe(record);

const updates = [];
let wake = () => {};
const app = acp
  .client({ name: "interop-sdk-client" })
  .onNotification("session/update", ({ params }) => {
    updates.push(params.update);
    wake();
  })
  .onRequest("session/request_permission", () => ({ outcome: { outcome: "cancelled" } }));

async function idle(from) {
  while (!updates.slice(from).some((u) => u.sessionUpdate === "state_update" && u.state === "idle")) {
    await new Promise((resolve) => (wake = resolve));
  }
}

const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(record));
const typed = await app.connectWith(stream, async (peer) => {
  const init = await peer.request("initialize", {
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "interop-sdk-client", version: "1" },
    capabilities: { session: { commands: { skill: {} } } },
  });
  const session = await peer.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = session;
  const asked = updates.length;
  const prompt = await peer.request("session/prompt", { sessionId, prompt: JSON.parse(blocks) });
  await idle(asked);
  const live = updates.slice(asked);

  // A block that names no skill has to be refused, and the session works on.
  const refused = await peer
    .request("session/prompt", { sessionId, prompt: [{ type: "skill", name: "nowhere" }] })
    .then(() => null, (error) => ({ code: error.code, message: error.message, data: error.data }));

  await peer.request("session/close", { sessionId });
  const replayed = updates.length;
  await peer.request("session/resume", { sessionId, cwd, mcpServers: [], replayFrom: { type: "start" } });
  await idle(replayed);
  return { init, session, prompt, live, refused, replay: updates.slice(replayed) };
});
agent.stdin.end();
await new Promise((resolve) => agent.once("exit", resolve));
process.stdout.write(JSON.stringify({ typed, raw: text.split("\n").filter(Boolean) }) + "\n");
