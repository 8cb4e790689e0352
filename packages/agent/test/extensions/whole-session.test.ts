/** Tests a whole session with an extension that has the same fault at every event: the session is the same as without it. */

import assert from "node:assert/strict";
import { test } from "vitest";
import {
  createExtensionActions,
  type Extension,
  type ExtensionEventName,
  extensionEventTable,
  headlessUi,
} from "../../src/index.ts";
import { branchLines, calls, createTestAgent, heldModel, heldTool, quiet, text } from "../support/held-agent.ts";
import { assemble, hang } from "../support/test-extensions.ts";

// SAY4: a handler that fails at tool_call blocks the call.
const events = (Object.keys(extensionEventTable) as ExtensionEventName[]).filter((name) => name !== "tool_call");

const atEveryEvent =
  (handler: () => unknown): Extension =>
  (pith) => {
    for (const name of events) pith.on(name, handler as never);
  };

/** Runs a prompt with a tool call, a compaction and a move, and returns what the session contains afterwards. */
async function runSession(extension: Extension) {
  const { extensions, failures } = await assemble({ odd: extension });
  const model = heldModel({ contextWindow: 8_000 });
  const tool = heldTool("work");
  const { hooks, onEvent } = extensions;
  const test = await createTestAgent(model, { tools: [tool], hooks, onEvent, summarizers: [] });
  extensions.bind(createExtensionActions(test.agent, { ...CONTEXT, openModel: async () => null }));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  const end = test.prompt("Work. ".repeat(400));
  await waitFor(model);
  model.waiting[0]?.end(calls("work", "c1"));
  await waitFor(tool);
  tool.waiting[0]?.end("worked");
  await waitFor(model);
  model.waiting[0]?.end(text("Done. ".repeat(400)));
  const ended = await end;
  const before = await branchLines(test);
  const compacted = await test.agent.compact();
  const [first] = await test.agent.session.branchEntries();
  const moved = await test.agent.navigateTree(first?.id ?? null);
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  const outcome = [ended.type, compacted.type, moved.type, tool.ran.length, ...before.map((line) => line.slice(0, 20))];
  return { outcome, failures };
}

const CONTEXT = { ui: headlessUi, hasUI: false, cwd: "/home/ada/app", sessionFile: null };

/** Waits for a request or a call: the hooks before it time out one after the other. */
async function waitFor({ waiting }: { readonly waiting: readonly unknown[] }): Promise<void> {
  for (let at = 0; at < 100 && waiting.length === 0; at += 1) await quiet();
}

const faults: Readonly<Record<string, () => unknown>> = {
  hangs: hang,
  throws: () => Promise.reject(new Error("no luck")),
  "returns a number": () => 7,
  "returns a list": () => [null],
  "returns a text": () => "nonsense",
  "returns invalid values in every field": () =>
    Object.fromEntries(
      [
        ...["compaction", "summary", "entries", "messages", "message", "input", "content", "headers", "action"],
        ...["customInstructions", "label", "systemPrompt", "text", "images", "block", "continue", "details"],
      ].map((field) => [field, Symbol("odd")]),
    ),
  "names unknown entries": () => ({
    compaction: { summary: "All is well.", firstKeptEntryId: "unknown" },
    entries: [{ type: "context_edit", targetId: "unknown", replacement: null }],
  }),
};

test.each(Object.entries(faults))(
  "EXT7 an extension that %s at every event does not change the session",
  async (_, handler) => {
    const usual = await runSession(() => {});
    const { outcome, failures } = await runSession(atEveryEvent(handler));
    assert.deepEqual(outcome, usual.outcome);
    assert.deepEqual(usual.failures, []);
    assert.ok(failures.length > 0);
    assert.ok(failures.every(({ extension }) => extension === "odd"));
  },
);

test("SAY4 a call whose tool_call handler fails is not run, and the run continues", async () => {
  const { outcome, failures } = await runSession((pith) =>
    pith.on("tool_call", () => Promise.reject(new Error("no luck"))),
  );
  const [ended, , , ran] = outcome;
  assert.deepEqual([ended, ran], ["done", 0]);
  assert.deepEqual(
    failures.map(({ event, extension }) => [event, extension]),
    [["tool_call", "odd"]],
  );
});
