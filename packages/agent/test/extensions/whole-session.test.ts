/** A whole session with an extension that does the same wrong thing at every event: the session is what it would be without it. */

import assert from "node:assert/strict";
import { test } from "vitest";
import {
  createExtensionActions,
  type Extension,
  type ExtensionEventName,
  extensionEventTable,
  headlessUi,
} from "../../src/index.ts";
import { calls, heldModel, heldTool, quiet, stage, talk, text } from "../loop/held.ts";
import { assembled, never } from "./assembly.ts";

// SAY4: who fails there has stopped the call.
const events = (Object.keys(extensionEventTable) as ExtensionEventName[]).filter((name) => name !== "tool_call");

const everywhere =
  (act: () => unknown): Extension =>
  (pith) => {
    for (const name of events) pith.on(name, act as never);
  };

/** Talk, a call, a move and a compaction; what the log says of it in the end. */
async function lived(extension: Extension) {
  const { extensions, failures } = await assembled({ odd: extension });
  const model = heldModel({ contextWindow: 8_000 });
  const tool = heldTool("work");
  const { hooks, onEvent } = extensions;
  const scene = await stage(model, { tools: [tool], hooks, onEvent, summarizers: [] });
  extensions.bind(createExtensionActions(scene.agent, { ...PLACE, openModel: async () => null }));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  const end = scene.prompt("Work. ".repeat(400));
  await settled(model);
  model.waiting[0]?.end(calls("work", "c1"));
  await settled(tool);
  tool.waiting[0]?.end("worked");
  await settled(model);
  model.waiting[0]?.end(text("Done. ".repeat(400)));
  const ended = await end;
  const before = await talk(scene);
  const compacted = await scene.agent.compact();
  const [first] = await scene.agent.session.branchEntries();
  const moved = await scene.agent.navigateTree(first?.id ?? null);
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  const outcome = [ended.type, compacted.type, moved.type, tool.ran.length, ...before.map((line) => line.slice(0, 20))];
  return { outcome, failures };
}

const PLACE = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };

/** Hooks are given up one after the other, which takes a while. */
async function settled({ waiting }: { readonly waiting: readonly unknown[] }): Promise<void> {
  for (let at = 0; at < 100 && waiting.length === 0; at += 1) await quiet();
}

const faults: Readonly<Record<string, () => unknown>> = {
  hangs: never,
  throws: () => Promise.reject(new Error("no luck")),
  "answers a number": () => 7,
  "answers a list": () => [null],
  "answers a text": () => "nonsense",
  "answers nonsense in every field": () =>
    Object.fromEntries(
      [
        ...["compaction", "summary", "entries", "messages", "message", "input", "content", "headers", "action"],
        ...["customInstructions", "label", "systemPrompt", "text", "images", "block", "continue", "details"],
      ].map((field) => [field, Symbol("odd")]),
    ),
  "names entries that are not there": () => ({
    compaction: { summary: "All is well.", firstKeptEntryId: "nobody" },
    entries: [{ type: "context_edit", targetId: "nobody", replacement: null }],
  }),
};

test.each(Object.entries(faults))(
  "EXT7 with one that %s at every event the session is what it would be",
  async (_, act) => {
    const usual = await lived(() => {});
    const { outcome, failures } = await lived(everywhere(act));
    assert.deepEqual(outcome, usual.outcome);
    assert.deepEqual(usual.failures, []);
    assert.ok(failures.length > 0);
    assert.ok(failures.every(({ extension }) => extension === "odd"));
  },
);

test("SAY4 one that fails where it watches over calls has not let them pass, and the run goes on", async () => {
  const { outcome, failures } = await lived((pith) => pith.on("tool_call", () => Promise.reject(new Error("no luck"))));
  const [ended, , , ran] = outcome;
  assert.deepEqual([ended, ran], ["done", 0]);
  assert.deepEqual(
    failures.map(({ event, extension }) => [event, extension]),
    [["tool_call", "odd"]],
  );
});
