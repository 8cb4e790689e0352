/** Compactions that are asked for, undone and brought back, and the switch for those that are not. */

import { Agent } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { createLimitsForModel } from "../../src/settings/settings.ts";
import { answerOf, deskOf, toldBy } from "./desks.ts";

const told =
  "## Goal\n- fix it [#1]\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the work [#2]\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

const long = (count: number): readonly string[] => [
  "user: fix it",
  ...Array.from({ length: count }, (_, at) => [`says: ${"work ".repeat(2_000)}${at}`, `user: and then ${at}`]).flat(),
];

test("COM11 /compact tells with what it was done, what it freed and how it is taken back; /undo and /redo step over it", async () => {
  const desk = await deskOf(long(20), { replies: [told, told] });
  const before = desk.agent.contextUsage().tokens;
  expect(await toldBy("/compact keep the numbers", desk)).toMatch(
    /^Compacted: [\d,]+ → [\d,]+ tokens; summary by anthropic\/storyteller; \d+ entries summarized, \d+ kept; .*\/undo undoes it\.$/,
  );
  const requests = JSON.stringify((desk.agent.model as unknown as { requests: unknown }).requests);
  expect(requests).toContain("Additional focus: keep the numbers");
  expect(desk.agent.contextUsage().tokens).toBeLessThan(before / 2);
  expect(await toldBy("/undo", desk)).toMatch(
    /^Compaction undone\. The context is back to about [\d,]+ tokens\. \/redo restores the compaction\./,
  );
  expect(desk.agent.contextUsage().tokens).toBe(before);
  expect(await toldBy("/undo", desk)).toBe("There is no compaction on this branch to undo.");
  expect(await toldBy("/redo", desk)).toMatch(/^Compaction restored: .*\/undo undoes it\.$/);
  expect(await toldBy("/redo", desk)).toMatch(/^There is no undone compaction to restore\.$/);
});

test("COM42 no secret leaves with what is asked of a summary, of a compaction or of a branch", async () => {
  const desk = await deskOf(long(20), { replies: [told, told] });
  const redaction = {
    redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "GONE")) as Value,
  };
  const session = await Session.open(desk.agent.session.store, nodeRuntime, { redaction });
  const { model } = desk.agent;
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, instructions: "always hunter2" });
  await agent.compact("look at hunter2");
  await answerOf("/tree e5 --summary mind hunter2", { ...desk, agent });
  const requests = JSON.stringify((model as unknown as { requests: unknown }).requests);
  for (const said of ["mind GONE", "always GONE", "look at GONE"]) expect(requests).toContain(said);
  expect(requests).not.toContain("hunter2");
});

test("COM11 /compact --preview does nothing and asks nobody", async () => {
  const desk = await deskOf(long(20));
  const { leaf } = desk.agent.session;
  for (const words of ["/compact --preview", "/compact keep the numbers --preview"])
    expect(await toldBy(words, desk)).toMatch(
      /^Would summarize \d+ entries and keep \d+: [\d,]+ → about [\d,]+ tokens\.\n/,
    );
  expect(await answerOf("/compact --prevew", desk)).toEqual({
    type: "mistake",
    message: "unknown flag --prevew; use --preview",
  });
  expect(desk.agent.session.leaf).toBe(leaf);
});

test("COM12 where there is nothing to compact, it says why", async () => {
  const why = async (lines: readonly string[], words = "/compact"): Promise<string> =>
    toldBy(words, await deskOf(lines));
  expect(await why([])).toBe("Not compacted: there are no messages yet.");
  const short = await why(["user: hello", "says: hi"]);
  expect(short).toMatch(/^Not compacted: the conversation is too short\. The newest [\d,]+ tokens are always kept/);
  expect(await why(["user: hello", "says: hi"], "/compact --preview")).toMatch(/too short/);
});

test("COM12 a model that fails costs nobody the session: code alone tells it, and says so", async () => {
  const failure = { failure: { kind: "refused", message: "no credit" } } as const;
  const desk = await deskOf(long(20), { replies: [failure, failure] });
  expect(await toldBy("/compact", desk)).toMatch(/summary built without a model;.*no credit/);
});

test("COM13 /autocompact shows the switch and the amounts, and turns it for this program alone (B22)", async () => {
  const desk = await deskOf(["user: hello"]);
  const shown = await toldBy("/autocompact", desk);
  expect(shown).toMatch(
    /^Automatic compaction is on\.\n.*exceeds 183,616 tokens\.\nreserveTokens 16,384: .*\nkeepRecentTokens 20,000: /,
  );
  const off = await answerOf("/autocompact off", desk);
  expect(off).toMatchObject({ data: { enabled: false, reserveTokens: 16_384, keepRecentTokens: 20_000 } });
  expect(off).toMatchObject({ text: expect.stringContaining('"compaction": { "enabled": false }') });
  expect(desk.agent.budget.limits.enabled).toBe(false);
  await toldBy("/autocompact on", desk);
  expect(desk.agent.budget.limits.enabled).toBe(true);
  expect(await answerOf("/autocompact maybe", desk)).toMatchObject({ type: "mistake" });
});

test("COM13 DUE8 /autocompact shows amounts that are set as a share of the window (B26)", async () => {
  const limits = createLimitsForModel({ reserveTokens: 0.1, keepRecentTokens: 0.05 });
  const desk = await deskOf(["user: hello"], { parts: { limits } });
  const shown = await toldBy("/autocompact", desk);
  expect(shown).toMatch(/exceeds 180,000 tokens.\nreserveTokens 10% of the window: /);
  expect(shown).toMatch(/keepRecentTokens 5% of the window: the newest 10,000 tokens are kept unchanged$/);
});

test("COM13 on is on, also where the settings say off", async () => {
  const { compactionLimits } = await import("@pith/context");
  const desk = await deskOf(["user: hello"], { parts: { limits: { ...compactionLimits, enabled: false } } });
  expect(await toldBy("/autocompact", desk)).toMatch(
    /^Automatic compaction is off\.\nThe context is compacted only when/,
  );
  expect(await toldBy("/autocompact on", desk)).toMatch(/^Automatic compaction is on until you quit\./);
});
