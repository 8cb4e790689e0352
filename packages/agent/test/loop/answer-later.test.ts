/** Tests permission questions that are answered later: the run ends as suspended, and `resume` asks again. */

import { expect, test } from "vitest";
import { type AgentOptions, type PermissionAnswer, type PermissionQuestion, Permissions } from "../../src/index.ts";
import {
  branchLines,
  createTestAgent,
  type HeldModel,
  type HeldTool,
  heldModel,
  heldTool,
  quiet,
  type Reply,
  reopenTestAgent,
  type TestAgent,
  text,
} from "../support/held-agent.ts";

const SUSPENDED = { type: "suspended", waitsFor: "answer" };
const paths = { root: "/work", home: "/home/me", temporaryFolders: ["/tmp"], privatePaths: [], permissionFiles: [] };
const later: PermissionAnswer = { type: "later" };

/** Answers by the id of the call, as a host answers from what it stored. A call without an answer is answered later. */
function host(answers: Readonly<Record<string, PermissionAnswer>> = {}) {
  const questions: PermissionQuestion[] = [];
  const permissions = new Permissions({
    mode: "ask",
    paths,
    resolveRealPath: async (path) => path,
    ask: async (question, { mayAnswerLater }) => {
      expect(mayAnswerLater).toBe(true);
      questions.push(question);
      return answers[question.callId ?? ""] ?? later;
    },
  });
  return { permissions, questions };
}

/** Calls of the tools `look` (concurrent, free), `check` (concurrent, asks) and `change` (asks): `look a`. */
const reply = (...names: readonly string[]): Reply => ({
  content: names.map((each) => {
    const [name = "", id = ""] = each.split(" ");
    return { type: "toolCall" as const, id, name, arguments: { of: id } };
  }),
});

interface Tools {
  readonly look: HeldTool;
  readonly check: HeldTool;
  readonly change: HeldTool;
}

function createTools(): Tools {
  const intent = () => ({ type: "look" as const, paths: ["/work/a.txt"] });
  return {
    look: Object.assign(heldTool("look", { isConcurrent: true, isIdempotent: true }), { intent }),
    check: heldTool("check", { isConcurrent: true }),
    change: heldTool("change"),
  };
}

interface Suspended extends Tools {
  readonly test: TestAgent;
  readonly model: HeldModel;
}

/** A run whose question about the call `c1` was answered later. */
async function suspend(called: readonly string[], parts: Partial<AgentOptions> = {}): Promise<Suspended> {
  const model = heldModel();
  const tools = createTools();
  const test = await createTestAgent(model, {
    ...{ tools: Object.values(tools), permissions: host().permissions, ...parts },
  });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(reply(...called));
  await quiet();
  for (const { input, end: endCall } of [...tools.look.waiting]) endCall(`seen ${input}`);
  expect(await end).toEqual(SUSPENDED);
  return { test, model, ...tools };
}

/** Resumes as another process would, with the answers that the host has got meanwhile. */
async function resume(from: Suspended, answers: Readonly<Record<string, PermissionAnswer>>, prefix = "f") {
  const model = heldModel();
  const tools = createTools();
  const { permissions, questions } = host(answers);
  const parts = { model, tools: Object.values(tools), permissions };
  const test = await reopenTestAgent(from.test, parts, prefix);
  return { test, model, questions, end: test.resume(), ...tools };
}

test("RUN22 the calls of the same group end, later calls do not start, and the run is suspended", async () => {
  const called = ["look a", "check c1", "look b", "change c2", "look c"];
  const { test, model, look, check, change } = await suspend(called);
  expect(await branchLines(test)).toEqual([
    "user: Begin.",
    "assistant: [a] [c1] [b] [c2] [c]",
    "a → seen a",
    "b → seen b",
  ]);
  expect([look.ran, check.ran, change.ran]).toEqual([["a", "b"], [], []]);
  expect(model.requests).toHaveLength(1);
  const started = test.events.flatMap((event) => (event.type === "tool_execution_start" ? [event.toolCallId] : []));
  const ended = test.events.flatMap((event) => (event.type === "tool_execution_end" ? [event.toolCallId] : []));
  expect([started, ended]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
  const types = test.events.map(({ type }) => type);
  expect(types.slice(-2)).toEqual(["turn_end", "agent_end"]);
  expect(test.events.at(-1)).toMatchObject({ end: SUSPENDED });
});

test("RUN22 nothing is recorded for a call whose question is answered later", async () => {
  const { test } = await suspend(["change c1", "change c2"]);
  const entries = await test.agent.session.branchEntries();
  expect(entries.at(-1)).toMatchObject({ type: "message", message: { role: "assistant" } });
});

test("RUN22 resume with a yes runs the call once, and the turn continues with the calls after it", async () => {
  const from = await suspend(["look a", "check c1", "change c2"]);
  const again = await resume(from, { c1: { type: "yes" }, c2: { type: "yes" } });
  await quiet();
  again.check.waiting[0]?.end("checked");
  await quiet();
  again.change.waiting[0]?.end("changed");
  await quiet();
  again.model.waiting[0]?.end(text("Done."));
  expect(await again.end).toEqual({ type: "done" });
  expect([again.look.ran, again.check.ran, again.change.ran]).toEqual([[], ["c1"], ["c2"]]);
  expect((await branchLines(again.test)).slice(2)).toEqual([
    "a → seen a",
    "c1 → checked",
    "c2 → changed",
    "assistant: Done.",
  ]);
  const entries = await again.test.agent.session.branchEntries();
  const ids = entries.flatMap(({ id, type }) => (type === "message" ? [id] : []));
  const [begin] = ids;
  expect(ids.slice(1)).toEqual([...["1-0", "1-0-0", "1-0-1", "1-0-2", "2-0"].map((each) => `${begin}-${each}`)]);
});

test("RUN22 resume with a no gives the model the refusal", async () => {
  const again = await resume(await suspend(["change c1"]), { c1: { type: "no", word: "not on a Friday" } });
  await quiet();
  again.model.waiting[0]?.end(text("I see."));
  expect(await again.end).toEqual({ type: "done" });
  expect(again.change.ran).toEqual([]);
  expect((await branchLines(again.test)).slice(2)).toEqual([
    "c1 → the user did not permit it: not on a Friday",
    "assistant: I see.",
  ]);
});

test("RUN22 resume without an answer is suspended again and asks the same question", async () => {
  const { permissions, questions } = host();
  const from = await suspend(["change c1", "change c2"], { permissions });
  const before = await from.test.agent.session.branchEntries();
  expect(await from.test.resume()).toEqual(SUSPENDED);
  const again = await resume(from, {});
  expect(await again.end).toEqual(SUSPENDED);
  expect(questions).toHaveLength(2);
  expect(again.questions).toEqual([questions[0]]);
  expect(questions[1]).toEqual(questions[0]);
  expect(questions[0]).toMatchObject({ callId: "c1", entry: 2, arguments: { of: "c1" } });
  expect(await again.test.agent.session.branchEntries()).toEqual(before);
});

test("RUN22 each question of a group is asked, and the answer to one of them does not run the others", async () => {
  const { permissions, questions } = host();
  const from = await suspend(["check c1", "check c2"], { permissions });
  expect(questions.map(({ callId }) => callId)).toEqual(["c1", "c2"]);
  const again = await resume(from, { c2: { type: "yes" } });
  await quiet();
  again.check.waiting[0]?.end("checked");
  expect(await again.end).toEqual(SUSPENDED);
  const last = await resume(again, { c1: { type: "yes" } }, "g");
  await quiet();
  last.check.waiting[0]?.end("checked too");
  await quiet();
  last.model.waiting[0]?.end(text("Done."));
  expect(await last.end).toEqual({ type: "done" });
  expect((await branchLines(last.test)).slice(2)).toEqual(["c2 → checked", "c1 → checked too", "assistant: Done."]);
});

test("RUN22 messages that are queued meanwhile are delivered after the answer", async () => {
  const from = await suspend(["change c1"]);
  await from.test.agent.followUp("Then the docs.");
  await from.test.agent.steer("Mind the tests.");
  const unanswered = await resume(from, {});
  expect(await unanswered.end).toEqual(SUSPENDED);
  expect(unanswered.test.agent.queue).toHaveLength(2);
  const again = await resume(unanswered, { c1: { type: "yes" } }, "g");
  await quiet();
  again.change.waiting[0]?.end("changed");
  for (const words of ["Minded.", "Docs written."]) {
    await quiet();
    again.model.waiting[0]?.end(text(words));
  }
  expect(await again.end).toEqual({ type: "done" });
  expect((await branchLines(again.test)).slice(2)).toEqual([
    "c1 → changed",
    "user: Mind the tests.",
    "assistant: Minded.",
    "user: Then the docs.",
    "assistant: Docs written.",
  ]);
});

test("RUN22 hooks of the turn do not continue a run that waits for an answer", async () => {
  const ends: string[] = [];
  const hooks: AgentOptions["hooks"] = {
    turn_end: [
      () => {
        ends.push("turn_end");
        return { continue: true };
      },
    ],
  };
  const { model } = await suspend(["look a", "change c1"], { hooks });
  expect(ends).toEqual([]);
  expect(model.requests).toHaveLength(1);
});

test("RUN22 a new prompt closes the call instead", async () => {
  const { test, model, change } = await suspend(["change c1"]);
  const end = test.prompt("Leave it.");
  await quiet();
  model.waiting[0]?.end(text("Left."));
  expect(await end).toEqual({ type: "done" });
  expect(change.ran).toEqual([]);
  expect((await branchLines(test)).slice(2)).toEqual([
    "c1 → no result: the run ended before this call completed",
    "user: Leave it.",
    "assistant: Left.",
  ]);
});

test("RUN22 an abort while other calls still run ends the run as aborted", async () => {
  const model = heldModel();
  const { look, check } = createTools();
  const test = await createTestAgent(model, { tools: [look, check], permissions: host().permissions });
  const end = test.prompt("Begin.");
  await quiet();
  model.waiting[0]?.end(reply("look a", "check c1"));
  await quiet();
  await test.agent.abort();
  expect(await end).toEqual({ type: "aborted" });
  expect(check.ran).toEqual([]);
  expect(await test.resume()).toEqual(SUSPENDED);
});

test("RUN23 after a stop between two runs, resume closes the call and starts a turn with the queued message", async () => {
  const { test, model, change } = await suspend(["change c1"]);
  await test.agent.stop();
  expect(await test.resume()).toEqual({ type: "done" });
  expect(change.ran).toEqual([]);
  await test.agent.followUp("Leave it.");
  const end = test.resume();
  await quiet();
  model.waiting[0]?.end(text("Left."));
  expect(await end).toEqual({ type: "done" });
  expect(change.ran).toEqual([]);
  expect((await branchLines(test)).slice(2)).toEqual([
    "c1 → no result: the run ended before this call completed",
    "user: Leave it.",
    "assistant: Left.",
  ]);
});
