/** What a model may want of sub-agents. */

import assert from "node:assert/strict";
import { textTokens } from "@pith/context";
import { test } from "vitest";
import { formatState } from "../../src/sub-agents/extension.ts";
import { insertPrevious } from "../../src/sub-agents/tool.ts";
import { createToolSchema, parseToolInput } from "../../src/sub-agents/tool-input.ts";

const agent = (name: string) => ({ name, description: "d".repeat(100), text: "t", path: `/${name}.md` });
const agents = [agent("scout"), agent("reviewer")];
const [scout] = agents;
const task = { agent: "scout", task: "look" };

test("AGT5 the input is exactly one of a task, several tasks, or a chain", () => {
  assert.deepEqual(parseToolInput(task, agents), {
    type: "tasks",
    tasks: [{ agent: scout, task: "look" }],
    isBackground: false,
  });
  assert.equal(parseToolInput({ tasks: [task, task], background: true }, agents).type, "tasks");
  assert.equal(parseToolInput({ tasks: JSON.stringify([task]) }, agents).type, "tasks");
  assert.equal(parseToolInput({ chain: [task] }, agents).type, "chain");
  assert.deepEqual(parseToolInput({ read: "subagent-1", page: "2" }, agents), {
    type: "read",
    id: "subagent-1",
    page: 2,
  });
  for (const input of [
    {},
    { ...task, tasks: [task] },
    { tasks: Array(9).fill(task) },
    { tasks: [] },
    { agent: "scout" },
  ])
    assert.equal(parseToolInput(input, agents).type, "invalid");
});

test("AGT5 an unknown agent is answered with the available ones", () => {
  const wanted = parseToolInput({ agent: "scoot", task: "look" }, agents);
  assert.deepEqual(wanted, { type: "invalid", message: 'No agent named "scoot". Available agents: scout, reviewer' });
});

test("AGT7 {previous} is replaced in one pass, and the inserted text is taken literally", () => {
  assert.equal(
    insertPrevious("a {previous} b {previous}", "$& {previous} $1"),
    "a $& {previous} $1 b $& {previous} $1",
  );
});

test("AGT3 the list of agents takes at most 1 KB of the tool's description", () => {
  const many = Array.from({ length: 50 }, (_, at) => agent(`agent-${at}`));
  const [few, all] = [createToolSchema([]).description.length, createToolSchema(many).description];
  assert.ok(Buffer.byteLength(all) - few <= 1_024);
  assert.ok(all.endsWith("an unknown name lists them all"));
});

test("LED13 the state of running sub-agents takes at most 52 tokens", () => {
  const working = Array.from({ length: 8 }, (_, index) => ({
    id: `0a1b2c3${index}-subagent`,
    agent: "reviewer",
    task: "Review the whole package. ".repeat(8),
  }));
  assert.equal(formatState([]), null);
  assert.equal(
    formatState([{ id: "0a1b2c3d-subagent", agent: "scout", task: "look" }]),
    "Sub-agents still working; do not start them again:\n- 0a1b2c3d-subagent (scout): look",
  );
  for (const count of [1, 2, 3, 8]) {
    const state = formatState(working.slice(0, count)) ?? "";
    assert.ok(textTokens(state) <= 52, state);
    assert.equal(state.includes(`(2 of ${count})`), count > 2);
  }
});
