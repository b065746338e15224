// SPDX-License-Identifier: Apache-2.0
//
// A client built on the official SDK that walks through the life of a session
// with an agent of ours, and prints what it was told as one JSON object.
//
//   node peer-client.mjs 1|2 CWD -- AGENT ARGS...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as v1 from "@agentclientprotocol/sdk/unstable";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";

const [version, cwd, , command, ...args] = process.argv.slice(2);
const two = version === "2";
const acp = two ? v2 : v1;
const agent = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });

const updates = [];
const waiters = [];
let asked = 0;
const app = acp
  .client({ name: "sdk-peer" })
  .onNotification("session/update", ({ params }) => {
    updates.push(params);
    for (const wake of waiters.splice(0)) wake();
  })
  .onRequest("session/request_permission", () => {
    asked++;
    return { outcome: { outcome: "selected", optionId: "yes" } };
  });

async function until(from, what) {
  while (!updates.slice(from).some((u) => what(u.update))) await new Promise((resolve) => waiters.push(resolve));
}
const idle = (u) => u.sessionUpdate === "state_update" && u.state === "idle";
const says = (text) => (u) => JSON.stringify(u).includes(text);
const texts = (list) => list.map((u) => JSON.stringify(u.update));

const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const out = await app.connectWith(stream, async (peer) => {
  const info = { name: "sdk-peer", version: "1" };
  const init = await peer.request(
    "initialize",
    two
      ? { protocolVersion: 2, info, capabilities: { session: { commands: { skill: {} } } } }
      : { protocolVersion: 1, clientInfo: info, clientCapabilities: {} },
  );
  const session = await peer.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = session;
  const prompt = (text) => peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  const turn = async (text) => {
    const from = updates.length;
    const answer = await prompt(text);
    if (!two) return answer.stopReason;
    await until(from, idle);
    return updates.slice(from).find((u) => idle(u.update)).update.stopReason;
  };
  const result = { init, session, hello: await turn("hello"), ask: await turn("ask") };

  const from = updates.length;
  const waits = turn("wait");
  await until(from, says("waiting"));
  await peer.notify("session/cancel", { sessionId });
  result.wait = await waits;

  result.list = await peer.request("session/list", {});
  if (two) {
    const fork = await peer.request("session/fork", { sessionId, cwd, mcpServers: [] });
    result.forked = fork.sessionId !== sessionId;
    await peer.request("session/delete", { sessionId: fork.sessionId });
  }
  await peer.request("session/close", { sessionId });
  result.closed = await prompt("hello").then(() => null, (error) => error.code);
  const replayed = updates.length;
  const again = { sessionId, cwd, mcpServers: [] };
  if (two) await peer.request("session/resume", { ...again, replayFrom: { type: "start" } });
  else await peer.request("session/load", again);
  await until(replayed, says('"wait"')); // the SDK may hand updates out behind the response
  result.replay = texts(updates.slice(replayed));
  result.unknown = await peer.request("_interop/nothing", {}).then(() => null, (error) => error.code);
  return { ...result, asked, live: texts(updates.slice(0, replayed)) };
});
agent.stdin.end();
await new Promise((resolve) => agent.once("exit", resolve));
process.stdout.write(JSON.stringify(out) + "\n");
