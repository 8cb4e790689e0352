/** The ACP mode as a process, driven by the protocol's own library. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Asked, Step } from "@pith/testkit";
import { afterEach, beforeEach, test } from "vitest";
import { Ground } from "../ground.ts";
import { Editor, type EditorParts } from "./editor.ts";

let ground: Ground;
const editors: Editor[] = [];
beforeEach(() => {
  ground = new Ground();
});
afterEach(async () => {
  for (const editor of editors.splice(0)) editor.child.kill("SIGKILL");
  await ground.clear();
});

async function started(parts: Omit<EditorParts, "ground"> = {}): ReturnType<typeof Editor.start> {
  const editor = await Editor.start({ ground, ...parts });
  editors.push(editor);
  return editor;
}

const call = (name: string, args: Readonly<Record<string, unknown>>) =>
  ({ type: "call", name, arguments: args }) as const;
const story = (count: number): string => `Keep this: ${"more of the same story, ".repeat(count)}`;
const settings = (value: object): void => {
  mkdirSync(ground.home, { recursive: true });
  writeFileSync(join(ground.home, "settings.json"), JSON.stringify(value));
};

test("ACP1 tools, a question, a change of mode, a compaction, an end, and a new process that shows all of it again", async () => {
  settings({ permissionMode: "ask", compaction: { keepRecentTokens: 100 } });
  writeFileSync(join(ground.folder, "a.txt"), "one\ntwo\nthree\n");
  const script = (asked: Asked): Step => {
    if (asked.text.includes("change two") && asked.results === 0)
      return {
        parts: [
          { type: "thinking", text: "first I look" },
          { type: "text", text: "Looking." },
          call("read", { path: "a.txt" }),
        ],
      };
    if (asked.number === 2)
      return { parts: [call("edit", { path: "a.txt", edits: [{ oldText: "two", newText: "zwei" }] })] };
    if (asked.number === 3) return "Changed.";
    return asked.tools.length === 0 ? "A summary of it." : "Here I am.";
  };
  await ground.serve(script);
  const editor = await started({ can: { session: { compaction: {} } } });
  assert.equal(editor.introduced.agentCapabilities?.loadSession, true);
  const sessionId = await editor.begin(ground.folder);
  assert.equal(await editor.say(sessionId, "change two in a.txt"), "end_turn");
  assert.equal(readFileSync(join(ground.folder, "a.txt"), "utf8"), "one\nzwei\nthree\n");

  assert.equal(editor.words("agent_thought_chunk"), "first I look");
  assert.equal(editor.words("agent_message_chunk"), "Looking.Changed.");
  const calls = editor
    .updates("tool_call")
    .map(({ title, kind, status, locations }) => ({ title, kind, status, locations }));
  const locations = [{ path: join(ground.folder, "a.txt") }];
  assert.deepEqual(calls, [
    { title: "read a.txt", kind: "read", status: "pending", locations },
    { title: "edit a.txt", kind: "edit", status: "pending", locations },
  ]);
  const [question] = editor.asked;
  assert.equal(editor.asked.length, 1);
  assert.equal(question?.toolCall.toolCallId, editor.updates("tool_call")[1]?.toolCallId);
  assert.deepEqual(
    question?.options.map(({ kind }) => kind),
    ["allow_once", "allow_always", "reject_once"],
  );
  const [shown] = question?.toolCall.content ?? [];
  assert.equal(shown?.type === "diff" && shown.newText, "one\nzwei\nthree\n");
  const last = editor.updates("tool_call_update").at(-1);
  assert.equal(last?.status, "completed");
  assert.deepEqual(last?.content, [
    { type: "diff", path: join(ground.folder, "a.txt"), oldText: "one\ntwo\nthree\n", newText: "one\nzwei\nthree\n" },
  ]);
  assert.ok(editor.updates("usage_update").some(({ used, size, cost }) => used > 0 && size > used && cost));

  await editor.agent.request("session/set_mode", { sessionId, modeId: "plan" });
  assert.deepEqual(
    editor.updates("current_mode_update").map(({ currentModeId }) => currentModeId),
    ["plan"],
  );

  assert.equal(await editor.say(sessionId, story(600)), "end_turn");
  assert.equal(await editor.say(sessionId, "And now?"), "end_turn");
  assert.equal(await editor.say(sessionId, "/compact"), "end_turn");
  const compactions = editor.updates("compaction_update");
  assert.deepEqual(
    compactions.map(({ status }) => status),
    ["in_progress", "completed"],
  );
  assert.equal(new Set(compactions.map(({ compactionId }) => compactionId)).size, 1);
  assert.equal(await editor.leave(), 0);

  const again = await started({ can: { session: { compaction: {} } } });
  const { modes } = await again.agent.request("session/load", { sessionId, cwd: ground.folder, mcpServers: [] });
  assert.equal(modes?.currentModeId, "ask");
  assert.equal(again.words("user_message_chunk"), `change two in a.txt${story(600)}And now?`);
  assert.equal(again.words("agent_thought_chunk"), "first I look");
  assert.equal(again.words("agent_message_chunk"), "Looking.Changed.Here I am.Here I am.");
  assert.deepEqual(
    again.updates("tool_call").map(({ title }) => title),
    ["read a.txt", "edit a.txt"],
  );
  assert.deepEqual(
    again.updates("tool_call_update").map(({ status }) => status),
    ["completed", "completed"],
  );
  assert.deepEqual(
    again.updates("compaction_update").map(({ status }) => status),
    ["completed"],
  );
  assert.equal(await again.say(sessionId, "go on"), "end_turn");
  assert.ok(again.words("agent_message_chunk").endsWith("Here I am."));
});
