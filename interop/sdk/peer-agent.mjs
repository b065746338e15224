// SPDX-License-Identifier: Apache-2.0
//
// An agent built on the official SDK, for clients of ours without skillgraft in
// between. It does what the first word of a prompt says: "wait" until it is
// cancelled, "ask" for a permission, or answer "done".
//
//   node peer-agent.mjs 1|2
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import * as v1 from "@agentclientprotocol/sdk/unstable";
import * as v2 from "@agentclientprotocol/sdk/experimental/v2/unstable";

const two = process.argv[2] === "2";
const acp = two ? v2 : v1;
const sessions = new Map(); // id to the prompts so far
const waiting = new Map(); // id to what ends the wait

const options = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

async function work(client, sessionId, prompt) {
  const update = (u) => client.notify("session/update", { sessionId, update: u });
  const say = (text) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId: randomUUID() });
  switch (prompt[0].text) {
    case "wait":
      await update({ sessionUpdate: "plan_made_up", steps: [1, 2] }).catch(() => {});
      await say("waiting");
      await new Promise((resolve) => waiting.set(sessionId, resolve));
      return "cancelled";
    case "ask": {
      const subject = two
        ? { title: "Write?", subject: { type: "tool_call", toolCall: { toolCallId: "c", title: "write" } } }
        : { toolCall: { toolCallId: "c", title: "write" } };
      const { outcome } = await client.request("session/request_permission", { sessionId, options, ...subject });
      await say(outcome.outcome === "selected" ? `chosen ${outcome.optionId}` : outcome.outcome);
      return "end_turn";
    }
  }
  await say("done");
  return "end_turn";
}

function replay(client, sessionId) {
  return Promise.all(
    (sessions.get(sessionId) ?? []).map(({ messageId, prompt }) =>
      client.notify("session/update", {
        sessionId,
        update: two
          ? { sessionUpdate: "user_message", messageId, content: prompt }
          : { sessionUpdate: "user_message_chunk", messageId, content: prompt[0] },
      }),
    ),
  );
}

const info = { name: "sdk-peer", version: "1" };
const setup = two ? { availableCommands: [{ type: "command", name: "compact", description: "Make it short" }] } : {};
const app = acp
  .agent({ name: "sdk-peer" })
  .onRequest("initialize", () =>
    two
      ? { protocolVersion: 2, info, capabilities: { session: { delete: {}, fork: {} } } }
      : {
          protocolVersion: 1,
          agentInfo: info,
          agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, close: {} } },
          authMethods: [{ id: "key", name: "Key" }],
        },
  )
  .onRequest("session/new", () => {
    const sessionId = randomUUID();
    sessions.set(sessionId, []);
    return { sessionId, ...setup };
  })
  .onRequest(two ? "session/resume" : "session/load", async ({ params, client }) => {
    if (!two || params.replayFrom) await replay(client, params.sessionId);
    return setup;
  })
  .onRequest("session/list", () => ({ sessions: [...sessions.keys()].map((sessionId) => ({ sessionId, cwd: "/" })) }))
  .onRequest("session/close", () => ({}))
  .onRequest("session/prompt", async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const messageId = randomUUID();
    sessions.get(sessionId).push({ messageId, prompt });
    if (!two) return { stopReason: await work(client, sessionId, prompt) };
    const update = (u) => client.notify("session/update", { sessionId, update: u });
    await update({ sessionUpdate: "user_message", messageId, content: prompt });
    setImmediate(async () => {
      await update({ sessionUpdate: "state_update", state: "running" });
      const stopReason = await work(client, sessionId, prompt);
      await update({ sessionUpdate: "state_update", state: "idle", stopReason });
    });
    return { messageId };
  })
  .onNotification("session/cancel", ({ params }) => waiting.get(params.sessionId)?.());
if (two) {
  app
    .onRequest("session/delete", ({ params }) => (sessions.delete(params.sessionId), {}))
    .onRequest("session/fork", ({ params }) => {
      const sessionId = randomUUID();
      sessions.set(sessionId, [...sessions.get(params.sessionId)]);
      return { sessionId, ...setup };
    });
} else {
  app.onRequest("authenticate", () => ({}));
}
app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
