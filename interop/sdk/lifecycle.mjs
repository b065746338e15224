// SPDX-License-Identifier: Apache-2.0
//
// A client built on the official SDK that drives an agent through every method of a
// session's life, and prints what came of each.
//
//   node lifecycle.mjs CWD -- AGENT ARGS...
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";

const [cwd, , command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });

const updates = [];
const questions = [];
let wake = () => {};
const app = acp
  .client({ name: "interop-sdk-lifecycle" })
  .onNotification("session/update", ({ params }) => {
    updates.push(params);
    wake();
  })
  .onRequest("session/request_permission", ({ params }) => {
    questions.push(params);
    const allow = params.options.find((o) => o.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  });

async function until(from, found) {
  for (;;) {
    const u = updates.slice(from).find(({ update }) => found(update));
    if (u) return u.update;
    await new Promise((resolve) => (wake = resolve));
  }
}
const isIdle = (u) => u.sessionUpdate === "state_update" && u.state === "idle";

const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const out = await app.connectWith(stream, async (peer) => {
  const out = {};
  out.initialize = await peer.request("initialize", {
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "interop-sdk-lifecycle", version: "1" },
    capabilities: { session: { commands: { skill: {} } } },
  });
  out.new = await peer.request("session/new", { cwd, mcpServers: [] });
  const { sessionId } = out.new;
  const say = async (sessionId, prompt) => {
    const from = updates.length;
    const answer = await peer.request("session/prompt", { sessionId, prompt });
    return { answer, end: await until(from, isIdle), updates: updates.slice(from).map((u) => u.update) };
  };
  out.prompt = await say(sessionId, [{ type: "text", text: "Use " }, { type: "skill", name: "ag-one" }]);
  out.questions = questions.length;
  out.config = await peer.request("session/set_config_option", { sessionId, configId: "mode", type: "id", value: "read" });
  out.list = await peer.request("session/list", { cwd });
  out.fork = await peer.request("session/fork", { sessionId, cwd, mcpServers: [] });
  out.forked = await say(out.fork.sessionId, [{ type: "text", text: "again" }]);
  const from = updates.length;
  out.held = await peer.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hold" }] });
  await peer.notify("session/cancel", { sessionId });
  out.cancelled = await until(from, isIdle);
  await peer.request("session/close", { sessionId });
  const replayed = updates.length;
  out.resume = await peer.request("session/resume", { sessionId, cwd, mcpServers: [], replayFrom: { type: "start" } });
  out.replay = updates.slice(replayed).map((u) => u.update);
  await peer.request("session/delete", { sessionId });
  out.afterDelete = await peer.request("session/list", { cwd });
  out.gone = await peer
    .request("session/resume", { sessionId, cwd, mcpServers: [] })
    .then(() => null, (error) => ({ code: error.code }));
  return out;
});
agent.stdin.end();
await new Promise((resolve) => agent.once("exit", resolve));
process.stdout.write(JSON.stringify(out) + "\n");
