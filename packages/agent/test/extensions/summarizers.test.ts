/** Tests summarizers of extensions in real compactions: after one that fails in any way, the next one is used. */

import assert from "node:assert/strict";
import type { Summarizer, SummarizerResult } from "@pith/context";
import { test } from "vitest";
import type { ExtensionApi } from "../../src/index.ts";
import { createTestAgent, heldModel, quiet, text } from "../support/held-agent.ts";
import { assemble, hang } from "../support/test-extensions.ts";

const narrative = "## Goal\nWork on.";

async function compactWith(...summarizers: readonly Summarizer[]) {
  const { extensions } = await assemble({
    one: (pith: ExtensionApi) => {
      for (const summarizer of summarizers) pith.registerSummarizer(summarizer);
    },
  });
  const model = heldModel({ contextWindow: 8_000 });
  const test = await createTestAgent(model, { summarizers: extensions.summarizers });
  for (const words of ["first ", "second ", "third "]) {
    const end = test.prompt(words.repeat(500));
    await quiet();
    model.waiting[0]?.end(text(`Done with ${words.repeat(500)}`));
    await end;
  }
  const outcome = await test.agent.compact();
  assert.equal(outcome.type, "compacted");
  const entry = (await test.agent.session.branchEntries()).findLast(({ type }) => type === "compaction");
  assert.ok(outcome.type === "compacted" && entry?.type === "compaction");
  return { receipt: outcome.receipt, entry };
}

const goodSummarizer: Summarizer = {
  name: "good",
  isPaid: false,
  summarize: (plan) => ({
    type: "written",
    candidate: { route: "model-free", narrative, notes: "", covers: new Set(plan.covered.map(({ id }) => id)) },
  }),
};

test("EXT14 the summary is validated and used like any other, and marked as the extension's", async () => {
  const { receipt, entry } = await compactWith(goodSummarizer);
  assert.equal(receipt.route, "hook");
  assert.equal(entry.fromHook, true);
  assert.match(entry.summary, /## Goal/);
});

const faults: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("no luck");
  },
  hangs: hang,
  "returns nothing": () => undefined,
  "returns a number": () => 7,
  "returns an unknown type": () => ({ type: "done" }),
  "returns an empty narrative": () => ({ type: "written", candidate: { narrative: " " } }),
  "returns a narrative that is not text": () => ({ type: "written", candidate: { narrative: 7 } }),
  "returns circular details": () => {
    const details: Record<string, unknown> = {};
    details.self = details;
    return { type: "written", candidate: { narrative, details } };
  },
  "covers nothing": () => ({ type: "written", candidate: { narrative, covers: ["unknown"] } }),
};

test.each(Object.entries(faults))("EXT14 after a summarizer that %s the next one is used", async (_, summarize) => {
  const { receipt } = await compactWith(
    { name: "bad", isPaid: false, summarize: summarize as () => SummarizerResult },
    goodSummarizer,
  );
  assert.equal(receipt.route, "hook");
  assert.equal(receipt.findings.length > 0, true);
});
