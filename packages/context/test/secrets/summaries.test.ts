/** Secrets and summaries: a story that tells one is redacted before it is put together, so that it can be taken apart again. */

import { createHmac } from "node:crypto";
import {
  type CompactionHooks,
  compact,
  MemoryStore,
  moveTo,
  Session,
  type Summarizer,
  type SummaryPart,
  undoCompaction,
} from "@pith/context";
import { prepareSummary } from "@pith/context/host";
import { Vault } from "@pith/context/secrets";
import { scriptedModel, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { readSummaryPartTexts } from "../../src/context/read-summary-parts.ts";
import { createSampleSecrets } from "../support/sample-secrets.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { smallBudget } from "../support/small-session.ts";

const vault = (): Vault => new Vault({ digest: (value) => createHmac("sha256", "any").update(value).digest("hex") });
const [planted] = createSampleSecrets(1, createSeededRandom(3));
const secret = String(planted?.secret);

/** With secrets from before they were redacted. */
async function oldSession(): Promise<Session> {
  const ports = testRuntime();
  const store = MemoryStore.create(ports);
  const session = await Session.open(store, ports);
  for (let at = 0; at < 12; at += 1) {
    const content = [{ type: "text" as const, text: `${at} use ${secret} here. ${"More words follow. ".repeat(40)}` }];
    await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
  }
  return await Session.open(store, ports, { redaction: vault() });
}

test("SEC16 no summary of a hook or built without a model contains a secret, and its parts stay separate", async () => {
  const own: CompactionHooks = {
    session_before_compact: [
      ({ preparation: { firstKeptEntryId } }) => ({
        compaction: { summary: `## Goal\n- use ${secret}`, firstKeptEntryId },
      }),
    ],
  };
  for (const hooks of [{}, own]) {
    const session = await oldSession();
    const outcome = await compact({
      session,
      hooks,
      reason: "asked",
      budget: smallBudget(),
      runtime: testRuntime("c"),
    });
    expect(outcome.type).toBe("compacted");
    const entry = session.branch.entries.findLast(({ type }) => type === "compaction");
    if (entry?.type !== "compaction") throw new Error("there is no compaction");
    expect(JSON.stringify(entry)).not.toContain(secret);
    expect(entry.summary).toContain(vault().redact(secret));
    expect(
      readSummaryPartTexts(entry)
        .map(({ text }) => text)
        .join(""),
    ).toBe(entry.summary);
  }
});

test("SEC16 a part that shortens such a summary shows no piece of a secret, and the result has none", async () => {
  const summary = `## Goal\n- throw away ${secret} and the database at once [#99]`;
  const hook: CompactionHooks = {
    session_before_compact: [
      ({ preparation: { firstKeptEntryId } }) => ({ compaction: { summary, firstKeptEntryId } }),
    ],
  };
  for (const hooks of [hook, {}]) {
    const firstWords: SummaryPart<null> = {
      kind: "first-words",
      collect: () => null,
      render: (_, { candidate: { narrative, notes } }) =>
        `${narrative}\n${notes}`
          .split("\n", 5)
          .map((line) => line.slice(0, 28))
          .join("\n"),
    };
    const session = await oldSession();
    const options = { session, hooks, parts: [firstWords], budget: smallBudget(), runtime: testRuntime("c") };
    const outcome = await compact({ ...options, reason: "asked" });
    expect(outcome.type).toBe("compacted");
    expect(JSON.stringify(outcome)).not.toContain(secret.slice(0, 8));
    const entry = session.branch.entries.findLast(({ type }) => type === "compaction");
    expect(JSON.stringify(entry)).toContain(vault().redact(secret).slice(0, 12));
    expect(JSON.stringify(entry)).not.toContain(secret.slice(0, 8));
  }
});

test("SEC11 SEC16 the error of a summarizer has no secret in the progress, the receipt and the failed result", async () => {
  const failing: Summarizer = {
    name: "failing",
    isPaid: false,
    summarize: () => ({ type: "failed", why: `401: the key ${secret} is not valid` }),
  };
  const note = `failing: 401: the key ${vault().redact(secret)} is not valid`;
  const finding = { code: "summarizer-failed", note };
  const steps: unknown[] = [];
  const progress = (step: unknown): void => void steps.push(step);
  const session = await oldSession();
  const leaves: Summarizer = {
    ...failing,
    summarize: async () => {
      await session.move(null);
      return { type: "nothing" };
    },
  };
  const run = { session, reason: "asked", budget: smallBudget(), runtime: testRuntime("c"), progress } as const;
  expect(await prepareSummary({ ...run, summarizers: [failing] })).toMatchObject({
    type: "not-prepared",
    findings: [finding],
  });
  expect(await compact({ ...run, summarizers: [failing] })).toMatchObject({
    receipt: { findings: expect.arrayContaining([finding]) },
  });
  await undoCompaction(session);
  expect(await compact({ ...run, summarizers: [failing, leaves] })).toMatchObject({
    type: "failed",
    why: "leaf-moved",
    findings: [finding],
  });
  expect(steps.filter((step) => Object(step).step === "falling-back")).toEqual(
    Array.from({ length: 3 }, () => ({ step: "falling-back", why: note })),
  );
});

test("SEC16 a branch summary contains no secret, and the end of its narrative is still found", async () => {
  const session = await oldSession();
  const none = "- (none)";
  const sections = [
    "## Constraints & Preferences",
    none,
    "",
    "## Progress",
    "### Done",
    none,
    "",
    "### In Progress",
    none,
    "",
  ];
  const last = ["### Blocked", none, "", "## Key Decisions", none, "", "## Next Steps", `1. use ${secret} here`];
  const story = ["## Goal", `- use ${secret} here`, "", ...sections, ...last].join("\n");
  const [first] = await session.branchEntries();
  const summary = { models: [scriptedModel(story, story, story)] };
  const moved = await moveTo({
    session,
    target: first?.id ?? null,
    budget: smallBudget({ branch: { tokens: 900, share: 1 } }, 20_000),
    runtime: testRuntime("m"),
    summary,
  });
  if (moved.type !== "moved" || !moved.summary) throw new Error(`it is ${moved.type}`);
  expect(JSON.stringify(moved.summary)).not.toContain(secret);
  const { pith } = moved.summary.details as { readonly pith: { readonly left: { readonly story: number } } };
  expect(moved.summary.summary.slice(0, pith.left.story)).toMatch(/^## Goal\n/);
  expect(moved.summary.summary.slice(pith.left.story)).toMatch(/^(?:\n\n|$)/);
});
