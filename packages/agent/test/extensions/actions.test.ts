/** What extensions do to a session, with an agent whose model waits to be told what it says. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { emptyUsage } from "@pith/context/testing";
import { test } from "vitest";
import { type AgentEvent, createExtensionActions, type ExtensionActions, headlessUi } from "../../src/index.ts";
import { calls, heldModel, heldTool, quiet, reopened, type Stage, stage, text } from "../loop/held.ts";

function actsAt({ agent }: Stage): ExtensionActions {
  const place = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };
  return createExtensionActions(agent, { ...place, openModel: async () => null });
}

const said = (content: string) => ({ customType: "mine", content });

/** The words of what the last request shows, the system's left out. */
function shown({ requests }: ReturnType<typeof heldModel>): readonly string[] {
  const { messages } = requests.at(-1) ?? { messages: [] };
  return messages.filter(({ role }) => role !== "system").map(({ content }) => wordsOf(content));
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string; readonly type: string }[])
    .map((block) => block.text ?? block.type)
    .join(" ");
}

async function kinds({ agent }: Stage): Promise<readonly string[]> {
  return (await agent.session.branchEntries()).map((entry: Entry) => entry.type);
}

test("EXT11 state, labels and names are in the log at once, at rest and within a run", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const acts = actsAt(scene);
  await acts.appendEntry("mine", { list: [1, 2] });
  await acts.appendEntry("mine", ["a list"]);
  const first = (await scene.agent.session.branchEntries())[0];
  assert.deepEqual(first?.type === "custom" && first.data, { list: [1, 2] });
  const end = scene.prompt("Work.");
  await quiet();
  await acts.appendEntry("mine");
  await acts.setLabel(first?.id ?? "", "here");
  await acts.setSessionName("a name");
  assert.equal(acts.context().session.name, "a name");
  model.waiting[0]?.end(text("Done."));
  assert.deepEqual(await end, { type: "done" });
  assert.deepEqual((await kinds(scene)).slice(-4), ["custom", "label", "session_info", "message"]);
  assert.equal(shown(model).join(), "Work.");
});

test("EXT11 what cannot be written is refused, to whoever wants it", async () => {
  const scene = await stage(heldModel());
  const acts = actsAt(scene);
  const ring: Record<string, unknown> = {};
  ring.self = ring;
  await assert.rejects(acts.appendEntry("pith.pin"), /Pith's own/);
  await assert.rejects(acts.appendEntry("mine", ring), /no JSON/);
  await assert.rejects(acts.appendEntry(7 as never), /a text is missing/);
  await assert.rejects(acts.setLabel("nobody", "here"), /no entry nobody/);
  await assert.rejects(acts.sendMessage({ customType: "mine", content: 7 as never }), /a text is missing/);
  await assert.rejects(acts.sendUserMessage([] as never), /nothing to say/);
  await assert.rejects(acts.appendUsage({ kind: "mine", provider: "a", model: "b", usage: {} as never }), /its usage/);
  assert.deepEqual(await kinds(scene), []);
});

test("EXT12 a message at rest waits for what is said next, unless it asks for a turn", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const acts = actsAt(scene);
  await acts.sendMessage(said("The build is red."));
  assert.equal(scene.agent.isRunning, false);
  const end = scene.prompt("Why?");
  await quiet();
  assert.deepEqual(shown(model), ["The build is red.", "Why?"]);
  model.waiting[0]?.end(text("A test fails."));
  await end;
  await acts.sendMessage(said("The build is green."), { triggerTurn: true });
  await quiet();
  assert.deepEqual(shown(model).slice(2), ["A test fails.", "The build is green."]);
  model.waiting[0]?.end(text("Good."));
  await quiet();
  assert.equal(scene.agent.isRunning, false);
  assert.equal(model.requests.length, 2);
});

test("EXT12 within a run a message comes before the next request, at the end, or after it", async () => {
  const model = heldModel();
  const tool = heldTool("work", { isIdempotent: true });
  const scene = await stage(model, { tools: [tool] });
  const acts = actsAt(scene);
  const end = scene.prompt("Work.");
  await quiet();
  await acts.sendMessage(said("next"), { deliverAs: "nextTurn" });
  await acts.sendMessage(said("at the end"), { deliverAs: "followUp" });
  await acts.sendMessage(said("now"), { deliverAs: "steer" });
  await acts.sendUserMessage("and mine");
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  tool.waiting[0]?.end("worked");
  await quiet();
  assert.deepEqual(shown(model).slice(-3), ["worked", "now", "and mine"]);
  model.waiting[0]?.end(text("Done."));
  await quiet();
  assert.deepEqual(shown(model).slice(-2), ["Done.", "at the end"]);
  model.waiting[0]?.end(text("Really done."));
  assert.deepEqual(await end, { type: "done" });
  await quiet();
  assert.equal(model.requests.length, 3);
  const again = scene.prompt("More.");
  await quiet();
  assert.deepEqual(shown(model).slice(-3), ["Really done.", "next", "More."]);
  model.waiting[0]?.end(text("Yes."));
  await again;
});

test("EXT12 what a user might have said begins a run at rest", async () => {
  const model = heldModel();
  const scene = await stage(model);
  await actsAt(scene).sendUserMessage("Look at this.");
  await quiet();
  assert.equal(scene.agent.isRunning, true);
  assert.deepEqual(shown(model), ["Look at this."]);
  model.waiting[0]?.end(text("Seen."));
  await quiet();
  assert.equal(scene.agent.isRunning, false);
});

test("EXT12 what is said as soon as all has settled begins a run, however slowly the run before it is listened to", async () => {
  for (const isUser of [true, false]) {
    const model = heldModel();
    const scenes: ExtensionActions[] = [];
    let settled = 0;
    const listen = ({ type }: AgentEvent): void => {
      if (type !== "agent_settled" || settled++ > 0) return;
      if (isUser) void scenes[0]?.sendUserMessage("More.");
      else void scenes[0]?.sendMessage(said("More."), { triggerTurn: true });
    };
    const scene = await stage(model, { onEvent: listen });
    scenes.push(actsAt(scene));
    const run = scene.agent.prompt("Work.");
    for (let next = run.next(); ; next = run.next()) {
      await quiet();
      model.waiting[0]?.end(text("Done."));
      if ((await next).value.type === "agent_settled") break;
    }
    await quiet();
    assert.deepEqual(shown(model).slice(-1), ["More."]);
    model.waiting[0]?.end(text("Done."));
    await run.next();
    await quiet();
    assert.equal(scene.agent.isRunning, false);
    assert.equal(scene.agent.queue.length, 0);
  }
});

test("EXT12 a message that was said and not answered when the program ended is answered by the next", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const acts = actsAt(scene);
  void scene.prompt("Work.");
  await quiet();
  await acts.sendMessage(said("The build is red."), { deliverAs: "followUp" });
  model.waiting[0]?.end(text("Done."));
  await quiet();
  assert.deepEqual(shown(model).slice(-1), ["The build is red."]);
  const next = heldModel();
  const again = await reopened(scene, { model: next }, "f");
  const end = again.resume();
  await quiet();
  assert.deepEqual(shown(next).slice(-1), ["The build is red."]);
  next.waiting[0]?.end(text("I see."));
  assert.deepEqual(await end, { type: "done" });
  assert.deepEqual(await again.resume(), { type: "done" });
  await actsAt(again).sendMessage(said("For later."));
  assert.deepEqual(await again.resume(), { type: "done" });
  assert.equal(next.requests.length, 1);
});

test("EXT12 a run of an extension's that breaks is reported, and nothing else comes of it", async () => {
  const reported: string[] = [];
  const scene = await stage(heldModel(), { runStep: () => Promise.reject(new Error("no step")) });
  const place = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };
  const report = (why: string): void => void reported.push(why);
  await createExtensionActions(scene.agent, { ...place, openModel: async () => null, report }).sendUserMessage("Work.");
  await quiet();
  assert.deepEqual(reported, ["no step"]);
});

test("EXT13 a listener that is waited for may act, and never waits for itself", async () => {
  const model = heldModel();
  const done: string[] = [];
  let acts: ExtensionActions | undefined;
  const act = async (): Promise<undefined> => {
    await acts?.appendEntry("mine");
    await acts?.sendMessage(said("heard"), { deliverAs: "nextTurn" });
    done.push("acted");
  };
  const hooks = {
    turn_end: [act],
    session_before_tree: [act],
    session_before_compact: [act],
    report: () => done.push("late"),
  };
  const scene = await stage(model, { hooks });
  acts = actsAt(scene);
  const end = scene.prompt("Work.");
  await quiet();
  model.waiting[0]?.end(text("Done."));
  assert.deepEqual(await end, { type: "done" });
  const [first] = await scene.agent.session.branchEntries();
  const moved = await scene.agent.navigateTree(first?.id ?? null);
  assert.equal(moved.type, "moved");
  await scene.agent.compact();
  await quiet();
  assert.equal(done.includes("late"), false);
  assert.equal((await kinds(scene)).at(-1), "custom_message");
});

test("EXT11 an extension sees copies of the session, never the session", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Work.");
  await quiet();
  const { session, model: speaks, ...context } = actsAt(scene).context();
  assert.deepEqual([context.isIdle(), context.hasPendingMessages(), speaks.model], [false, false, "held"]);
  for (const entry of [...session.entries(), ...(await session.branch())]) Object.assign(entry, { type: "spoilt" });
  assert.equal((await kinds(scene)).includes("spoilt"), false);
  assert.equal(await session.entry("nobody"), undefined);
  context.abort();
  assert.deepEqual(await end, { type: "aborted" });
  assert.equal(context.isIdle(), true);
  assert.equal(context.getContextUsage().contextWindow, 200_000);
});

test("TOK6 an extension sees whether the size of the context is measured or an estimate (B12)", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Work.");
  await quiet();
  const { getContextUsage } = actsAt(scene).context();
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

test("EXT12 what waited when the program ended is said once, by the next one", async () => {
  const model = heldModel();
  const scene = await stage(model);
  const end = scene.prompt("Work.");
  await quiet();
  await actsAt(scene).sendMessage(said("at the end"), { deliverAs: "followUp" });
  const next = heldModel();
  const later = await reopened(scene, { model: next }, "f");
  assert.deepEqual(
    later.agent.queue.map(({ custom }) => custom),
    [{ customType: "mine", display: true }],
  );
  const resumed = later.resume();
  await quiet();
  assert.deepEqual(shown(next), ["Work.", "at the end"]);
  next.waiting[0]?.end(text("Done."));
  assert.deepEqual(await resumed, { type: "done" });
  assert.deepEqual(later.agent.queue, []);
  await scene.agent.abort();
  await end;
});
