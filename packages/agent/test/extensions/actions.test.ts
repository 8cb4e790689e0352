/** Tests extensions/actions.ts with an agent whose model waits until the test ends its reply. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { test } from "vitest";
import { type AgentEvent, createExtensionActions, type ExtensionActions, headlessUi } from "../../src/index.ts";
import {
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  quiet,
  reopenTestAgent,
  type TestAgent,
  text,
} from "../support/held-agent.ts";

function createActions({ agent }: TestAgent): ExtensionActions {
  const place = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };
  return createExtensionActions(agent, { ...place, openModel: async () => null });
}

const message = (content: string) => ({ customType: "mine", content });

/** The texts of the last request, without system messages. */
function requestTexts({ requests }: ReturnType<typeof heldModel>): readonly string[] {
  const { messages } = requests.at(-1) ?? { messages: [] };
  return messages.filter(({ role }) => role !== "system").map(({ content }) => textOf(content));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string; readonly type: string }[])
    .map((block) => block.text ?? block.type)
    .join(" ");
}

async function entryTypes({ agent }: TestAgent): Promise<readonly string[]> {
  return (await agent.session.branchEntries()).map((entry: Entry) => entry.type);
}

test("EXT11 state, labels and names are written at once, idle and during a run", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const actions = createActions(test);
  await actions.appendEntry("mine", { list: [1, 2] });
  await actions.appendEntry("mine", ["a list"]);
  const first = (await test.agent.session.branchEntries())[0];
  assert.deepEqual(first?.type === "custom" && first.data, { list: [1, 2] });
  const end = test.prompt("Work.");
  await quiet();
  await actions.appendEntry("mine");
  await actions.setLabel(first?.id ?? "", "here");
  await actions.setSessionName("a name");
  assert.equal(actions.context().session.name, "a name");
  model.waiting[0]?.end(text("Done."));
  assert.deepEqual(await end, { type: "done" });
  assert.deepEqual((await entryTypes(test)).slice(-4), ["custom", "label", "session_info", "message"]);
  assert.equal(requestTexts(model).join(), "Work.");
});

test("EXT11 an action with invalid values rejects", async () => {
  const test = await createTestAgent(heldModel());
  const actions = createActions(test);
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  await assert.rejects(actions.appendEntry("pith.pin"), /reserved for Pith/);
  await assert.rejects(actions.appendEntry("mine", ring), /are not JSON/);
  await assert.rejects(actions.appendEntry(7 as never), /a required string is missing/);
  await assert.rejects(actions.setLabel("unknown", "here"), /entry unknown is not in this session/);
  await assert.rejects(
    actions.sendMessage({ customType: "mine", content: 7 as never }),
    /a required string is missing/,
  );
  await assert.rejects(actions.sendUserMessage([] as never), /must be a non-empty string/);
  await assert.rejects(
    actions.appendUsage({ kind: "mine", provider: "a", model: "b", usage: {} as never }),
    /a field of usage/,
  );
  assert.deepEqual(await entryTypes(test), []);
});

test("EXT12 an idle agent gets a message with the next prompt, or at once with triggerTurn", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const actions = createActions(test);
  await actions.sendMessage(message("The build is red."));
  assert.equal(test.agent.isRunning, false);
  const end = test.prompt("Why?");
  await quiet();
  assert.deepEqual(requestTexts(model), ["The build is red.", "Why?"]);
  model.waiting[0]?.end(text("A test fails."));
  await end;
  await actions.sendMessage(message("The build is green."), { triggerTurn: true });
  await quiet();
  assert.deepEqual(requestTexts(model).slice(2), ["A test fails.", "The build is green."]);
  model.waiting[0]?.end(text("Good."));
  await quiet();
  assert.equal(test.agent.isRunning, false);
  assert.equal(model.requests.length, 2);
});

test("EXT12 during a run a message is sent before the next request, when the model is done, or with the next prompt", async () => {
  const model = heldModel();
  const tool = heldTool("work", { isIdempotent: true });
  const test = await createTestAgent(model, { tools: [tool] });
  const actions = createActions(test);
  const end = test.prompt("Work.");
  await quiet();
  await actions.sendMessage(message("next"), { deliverAs: "nextTurn" });
  await actions.sendMessage(message("at the end"), { deliverAs: "followUp" });
  await actions.sendMessage(message("now"), { deliverAs: "steer" });
  await actions.sendUserMessage("and mine");
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("worked");
  await quiet();
  assert.deepEqual(requestTexts(model).slice(-3), ["worked", "now", "and mine"]);
  model.waiting[0]?.end(text("Done."));
  await quiet();
  assert.deepEqual(requestTexts(model).slice(-2), ["Done.", "at the end"]);
  model.waiting[0]?.end(text("Really done."));
  assert.deepEqual(await end, { type: "done" });
  await quiet();
  assert.equal(model.requests.length, 3);
  const again = test.prompt("More.");
  await quiet();
  assert.deepEqual(requestTexts(model).slice(-3), ["Really done.", "next", "More."]);
  model.waiting[0]?.end(text("Yes."));
  await again;
});

test("EXT12 a user message starts a run if the agent is idle", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  await createActions(test).sendUserMessage("Look at this.");
  await quiet();
  assert.equal(test.agent.isRunning, true);
  assert.deepEqual(requestTexts(model), ["Look at this."]);
  model.waiting[0]?.end(text("Seen."));
  await quiet();
  assert.equal(test.agent.isRunning, false);
});

test("EXT12 a message sent at agent_settled starts a run, even if the events of the last run are not consumed yet", async () => {
  for (const isUser of [true, false]) {
    const model = heldModel();
    const scenes: ExtensionActions[] = [];
    let settled = 0;
    const listen = ({ type }: AgentEvent): void => {
      if (type !== "agent_settled" || settled++ > 0) return;
      if (isUser) void scenes[0]?.sendUserMessage("More.");
      else void scenes[0]?.sendMessage(message("More."), { triggerTurn: true });
    };
    const test = await createTestAgent(model, { onEvent: listen });
    scenes.push(createActions(test));
    const run = test.agent.prompt("Work.");
    for (let next = run.next(); ; next = run.next()) {
      await quiet();
      model.waiting[0]?.end(text("Done."));
      if ((await next).value.type === "agent_settled") break;
    }
    await quiet();
    assert.deepEqual(requestTexts(model).slice(-1), ["More."]);
    model.waiting[0]?.end(text("Done."));
    await run.next();
    await quiet();
    assert.equal(test.agent.isRunning, false);
    assert.equal(test.agent.queue.length, 0);
  }
});

test("EXT12 a message that was not answered when the program ended is answered after a restart", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const actions = createActions(test);
  void test.prompt("Work.");
  await quiet();
  await actions.sendMessage(message("The build is red."), { deliverAs: "followUp" });
  model.waiting[0]?.end(text("Done."));
  await quiet();
  assert.deepEqual(requestTexts(model).slice(-1), ["The build is red."]);
  const next = heldModel();
  const again = await reopenTestAgent(test, { model: next }, "f");
  const end = again.resume();
  await quiet();
  assert.deepEqual(requestTexts(next).slice(-1), ["The build is red."]);
  next.waiting[0]?.end(text("I see."));
  assert.deepEqual(await end, { type: "done" });
  assert.deepEqual(await again.resume(), { type: "done" });
  await createActions(again).sendMessage(message("For later."));
  assert.deepEqual(await again.resume(), { type: "done" });
  assert.equal(next.requests.length, 1);
});

test("EXT12 the failure of a run that an extension started is reported", async () => {
  const reported: string[] = [];
  const test = await createTestAgent({
    ...heldModel(),
    stream: () => {
      throw new Error("no stream");
    },
  });
  const place = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };
  const report = (why: string): void => void reported.push(why);
  await createExtensionActions(test.agent, { ...place, openModel: async () => null, report }).sendUserMessage("Work.");
  await quiet();
  assert.deepEqual(reported, ["no stream"]);
});

test("EXT13 an awaited handler can act on the session without a deadlock", async () => {
  const model = heldModel();
  const done: string[] = [];
  let actions: ExtensionActions | undefined;
  const act = async (): Promise<undefined> => {
    await actions?.appendEntry("mine");
    await actions?.sendMessage(message("heard"), { deliverAs: "nextTurn" });
    done.push("acted");
  };
  const hooks = {
    turn_end: [act],
    session_before_tree: [act],
    session_before_compact: [act],
    report: () => done.push("late"),
  };
  const test = await createTestAgent(model, { hooks });
  actions = createActions(test);
  const end = test.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(text("Done."));
  assert.deepEqual(await end, { type: "done" });
  const [first] = await test.agent.session.branchEntries();
  const moved = await test.agent.navigateTree(first?.id ?? null);
  assert.equal(moved.type, "moved");
  await test.agent.compact();
  await quiet();
  assert.equal(done.includes("late"), false);
  assert.equal((await entryTypes(test)).at(-1), "custom_message");
});

test("EXT11 an extension gets copies of the session's entries", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Work.");
  await quiet();
  const { session, model: currentModel, ...context } = createActions(test).context();
  assert.deepEqual([context.isIdle(), context.hasPendingMessages(), currentModel.model], [false, false, "held"]);
  for (const entry of [...session.entries(), ...(await session.branch())]) Object.assign(entry, { type: "spoilt" });
  assert.equal((await entryTypes(test)).includes("spoilt"), false);
  assert.equal(await session.entry("unknown"), undefined);
  context.abort();
  assert.deepEqual(await end, { type: "aborted" });
  assert.equal(context.isIdle(), true);
  assert.equal(context.getContextUsage().contextWindow, 200_000);
});

test("TOK6 an extension sees whether the size of the context is measured or an estimate (B12)", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Work.");
  await quiet();
  const { getContextUsage } = createActions(test).context();
  const before = getContextUsage();
  assert.deepEqual([before.isEstimate, before.measured, before.tokens > 0], [true, 0, true]);
  model.waiting[0]?.end({ ...text("Done."), usage: { ...emptyUsage, input: 4_990, output: 10, totalTokens: 5_000 } });
  await end;
  const { isEstimate, measured, tokens, percent } = getContextUsage();
  assert.deepEqual(
    { isEstimate, measured, tokens, percent },
    { isEstimate: false, measured: 5_000, tokens: 5_000, percent: 2.5 },
  );
});

test("EXT12 a message that was queued when the program ended is sent once after a restart", async () => {
  const model = heldModel();
  const test = await createTestAgent(model);
  const end = test.prompt("Work.");
  await quiet();
  await createActions(test).sendMessage(message("at the end"), { deliverAs: "followUp" });
  const next = heldModel();
  const later = await reopenTestAgent(test, { model: next }, "f");
  assert.deepEqual(
    later.agent.queue.map(({ custom }) => custom),
    [{ customType: "mine", display: true }],
  );
  const resumed = later.resume();
  await quiet();
  assert.deepEqual(requestTexts(next), ["Work."]);
  next.waiting[0]?.end(text("Done."));
  await quiet();
  assert.deepEqual(requestTexts(next).slice(-1), ["at the end"]);
  next.waiting[0]?.end(text("Done again."));
  assert.deepEqual(await resumed, { type: "done" });
  assert.equal(next.requests.length, 2);
  assert.deepEqual(later.agent.queue, []);
  await test.agent.abort();
  await end;
});
