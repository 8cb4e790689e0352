/** Writers that extensions bring, in real compactions: what one does wrong is a failed writer, and the next is asked. */

import assert from "node:assert/strict";
import type { CompactionPlan, Summarizer, SummarizerResult } from "@pith/context";
import { test } from "vitest";
import type { ExtensionApi } from "../../src/index.ts";
import { heldModel, quiet, stage, text } from "../loop/held.ts";
import { assembled, never } from "./assembly.ts";

const story = "## Goal\nWork on.";

async function compacted(...writers: readonly Summarizer[]) {
  const { extensions } = await assembled({
    one: (pith: ExtensionApi) => {
      for (const writer of writers) pith.registerWriter(writer);
    },
  });
  const model = heldModel({ contextWindow: 8_000 });
  const scene = await stage(model, { summarizers: extensions.summarizers });
  for (const words of ["first ", "second ", "third "]) {
    const end = scene.prompt(words.repeat(500));
    await quiet();
    model.waiting[0]?.end(text(`Done with ${words.repeat(500)}`));
    await end;
  }
  const outcome = await scene.agent.compact();
  assert.equal(outcome.type, "compacted");
  const entry = (await scene.agent.session.branchEntries()).findLast(({ type }) => type === "compaction");
  assert.ok(outcome.type === "compacted" && entry?.type === "compaction");
  return { receipt: outcome.receipt, entry };
}

const good = (wrote: CompactionPlan[] = []): Summarizer => ({
  route: "good",
  isPaid: false,
  summarize: (plan) => {
    wrote.push(plan);
    return {
      type: "written",
      candidate: {
        route: "model-free",
        narrative: story,
        notes: "",
        covers: new Set(plan.covered.map(({ id }) => id)),
      },
    };
  },
});

test("EXT14 a writer's summary is checked and used like any other, and known as an extension's", async () => {
  const { receipt, entry } = await compacted(good());
  assert.equal(receipt.route, "hook");
  assert.equal(entry.fromHook, true);
  assert.match(entry.summary, /## Goal/);
});

const faults: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("no luck");
  },
  hangs: never,
  "writes nothing": () => undefined,
  "writes a number": () => 7,
  "writes an unknown kind": () => ({ type: "done" }),
  "writes an empty story": () => ({ type: "written", candidate: { story: " " } }),
  "writes no text": () => ({ type: "written", candidate: { story: 7 } }),
  "has details in a ring": () => {
    const details: Record<string, unknown> = {};
    details.self = details;
    return { type: "written", candidate: { story, details } };
  },
  "covers nothing": () => ({ type: "written", candidate: { story, covers: ["nobody"] } }),
};

test.each(Object.entries(faults))("EXT14 after a writer that %s the next is asked", async (_, write) => {
  const { receipt } = await compacted(
    { route: "bad", isPaid: false, summarize: write as () => SummarizerResult },
    good(),
  );
  assert.equal(receipt.route, "hook");
  assert.equal(receipt.findings.length > 0, true);
});
