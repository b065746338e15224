// SPDX-License-Identifier: Apache-2.0
//
// An agent built on the official SDK: it echoes prompts, says "done", keeps its
// sessions in a file and replays them.
//
//   node agent.mjs FILE            knows nothing of skills
//   node agent.mjs FILE first      lists ./native/SKILL.md itself and takes one block, in front
//   node agent.mjs FILE inline     the same, and takes blocks anywhere
//
// FILE keeps one line a prompt, exactly the blocks that the agent was handed.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";

const [file, skills] = process.argv.slice(2);
const cwds = new Map();

function kept() {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

function commands(cwd) {
  const list = [{ type: "command", name: "compact", description: "Make it short" }];
  if (skills) {
    list.push({ type: "skill", name: "native", description: "The agent's own", path: join(cwd, "native", "SKILL.md") });
  }
  return list;
}

function capabilities() {
  const prompt = { image: {}, embeddedContext: {} };
  if (skills) prompt.skill = skills === "inline" ? { inline: {} } : {};
  return { session: { prompt, delete: {} } };
}

const app = acp
  .agent({ name: "interop-sdk-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: "interop-sdk-agent", version: "1" },
    capabilities: capabilities(),
  }))
  .onRequest("session/new", ({ params }) => {
    const sessionId = randomUUID();
    cwds.set(sessionId, params.cwd);
    return { sessionId, availableCommands: commands(params.cwd) };
  })
  .onRequest("session/resume", async ({ params, client }) => {
    const { sessionId } = params;
    cwds.set(sessionId, params.cwd);
    if (params.replayFrom) {
      for (const { messageId, prompt } of kept().filter((k) => k.sessionId === sessionId)) {
        await client.notify("session/update", { sessionId, update: { sessionUpdate: "user_message", messageId, content: prompt } });
      }
    }
    await client.notify("session/update", { sessionId, update: { sessionUpdate: "state_update", state: "idle" } });
    return { availableCommands: commands(params.cwd) };
  })
  .onRequest("session/list", () => ({
    sessions: [...new Set(kept().map((k) => k.sessionId))].map((sessionId) => ({ sessionId, cwd: cwds.get(sessionId) ?? "/" })),
  }))
  .onRequest("session/close", () => ({}))
  .onRequest("session/prompt", async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const messageId = randomUUID();
    appendFileSync(file, JSON.stringify({ sessionId, messageId, prompt }) + "\n");
    const say = (update) => client.notify("session/update", { sessionId, update });
    await say({ sessionUpdate: "user_message", messageId, content: prompt });
    setImmediate(async () => {
      await say({ sessionUpdate: "state_update", state: "running" });
      await say({ sessionUpdate: "agent_message_chunk", messageId: randomUUID(), content: { type: "text", text: "done" } });
      await say({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
    });
    return { messageId };
  })
  .onNotification("session/cancel", () => {});

app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
