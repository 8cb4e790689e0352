/** Tests compactions with `/compact`, their undo and redo, and the setting for automatic ones. */

import { Agent } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { createLimitsForModel } from "../../../host/src/settings/settings.ts";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

const summary =
  "## Goal\n- fix it [#1]\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the work [#2]\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

const long = (count: number): readonly string[] => [
  "user: fix it",
  ...Array.from({ length: count }, (_, at) => [`says: ${"work ".repeat(2_000)}${at}`, `user: and then ${at}`]).flat(),
];

test("COM11 /compact reports the model, the freed tokens and how to undo it; /undo and /redo revert and restore it", async () => {
  const context = await createCommandContext(long(20), { replies: [summary, summary] });
  const before = context.agent.contextUsage().tokens;
  expect(await runForText("/compact keep the numbers", context)).toMatch(
    /^Compacted: [\d,]+ → [\d,]+ tokens; summary by anthropic\/storyteller; \d+ entries summarized, \d+ kept; .*\/undo undoes it\.$/,
  );
  const requests = JSON.stringify((context.agent.model as unknown as { requests: unknown }).requests);
  expect(requests).toContain("Additional focus: keep the numbers");
  expect(context.agent.contextUsage().tokens).toBeLessThan(before / 2);
  expect(await runForText("/undo", context)).toMatch(
    /^Compaction undone\. The context is back to about [\d,]+ tokens\. \/redo restores the compaction\./,
  );
  expect(context.agent.contextUsage().tokens).toBe(before);
  expect(await runForText("/undo", context)).toBe("There is no compaction to undo on this branch.");
  expect(await runForText("/redo", context)).toMatch(/^Compaction restored: .*\/undo undoes it\.$/);
  expect(await runForText("/redo", context)).toMatch(/^There is no undone compaction to restore\.$/);
});

test("COM42 secrets are redacted in the requests for a compaction summary and a branch summary", async () => {
  const context = await createCommandContext(long(20), { replies: [summary, summary] });
  const redaction = {
    redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll("hunter2", "GONE")) as Value,
  };
  const session = await Session.open(context.agent.session.store, nodeRuntime, { redaction });
  const { model } = context.agent;
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, instructions: "always hunter2" });
  await agent.compact("look at hunter2");
  await runForResult("/tree e5 --summary mind hunter2", { ...context, agent });
  const requests = JSON.stringify((model as unknown as { requests: unknown }).requests);
  for (const message of ["mind GONE", "always GONE", "look at GONE"]) expect(requests).toContain(message);
  expect(requests).not.toContain("hunter2");
});

test("COM11 /compact --preview changes nothing and sends no request", async () => {
  const context = await createCommandContext(long(20));
  const { leaf } = context.agent.session;
  for (const words of ["/compact --preview", "/compact keep the numbers --preview"])
    expect(await runForText(words, context)).toMatch(
      /^Would summarize \d+ entries and keep \d+: [\d,]+ → about [\d,]+ tokens\.\n/,
    );
  expect(await runForResult("/compact --prevew", context)).toEqual({
    type: "mistake",
    message: "unknown flag --prevew; use --preview, --from, --up-to, --from-originals",
  });
  expect(context.agent.session.leaf).toBe(leaf);
});

test("COM12 /compact says why there is nothing to compact", async () => {
  const why = async (lines: readonly string[], words = "/compact"): Promise<string> =>
    runForText(words, await createCommandContext(lines));
  expect(await why([])).toBe("Not compacted: there are no messages yet.");
  const short = await why(["user: hello", "says: hi"]);
  expect(short).toMatch(/^Not compacted: the conversation is too short\. The newest [\d,]+ tokens are always kept/);
  expect(await why(["user: hello", "says: hi"], "/compact --preview")).toMatch(/too short/);
});

test("COM12 when the model fails, /compact builds the summary without a model and reports the failure", async () => {
  const failure = { failure: { kind: "refused", message: "no credit" } } as const;
  const context = await createCommandContext(long(20), { replies: [failure, failure] });
  expect(await runForText("/compact", context)).toMatch(/summary built without a model;.*no credit/);
});

test("COM13 /autocompact shows the switch and the limits, and changes the switch for this process only (B22)", async () => {
  const context = await createCommandContext(["user: hello"]);
  const shown = await runForText("/autocompact", context);
  expect(shown).toMatch(
    /^Automatic compaction is on\.\n.*exceeds 183,616 tokens\.\nreserveTokens 16,384: .*\nkeepRecentTokens 20,000: /,
  );
  const off = await runForResult("/autocompact off", context);
  expect(off).toMatchObject({ data: { enabled: false, reserveTokens: 16_384, keepRecentTokens: 20_000 } });
  expect(off).toMatchObject({ text: expect.stringContaining('"compaction": { "enabled": false }') });
  expect(context.agent.budget.limits.enabled).toBe(false);
  await runForText("/autocompact on", context);
  expect(context.agent.budget.limits.enabled).toBe(true);
  expect(await runForResult("/autocompact maybe", context)).toMatchObject({ type: "mistake" });
});

test("COM13 DUE8 /autocompact shows limits that are set as a share of the window (B26)", async () => {
  const limits = createLimitsForModel({ reserveTokens: 0.1, keepRecentTokens: 0.05 });
  const context = await createCommandContext(["user: hello"], { agentOptions: { limits } });
  const shown = await runForText("/autocompact", context);
  expect(shown).toMatch(/exceeds 180,000 tokens.\nreserveTokens 10% of the window: /);
  expect(shown).toMatch(/keepRecentTokens 5% of the window: the newest 10,000 tokens are kept unchanged$/);
});

test("COM13 /autocompact on turns it on even if the settings turn it off", async () => {
  const { compactionLimits } = await import("@pith/context");
  const context = await createCommandContext(["user: hello"], {
    agentOptions: { limits: { ...compactionLimits, enabled: false } },
  });
  expect(await runForText("/autocompact", context)).toMatch(
    /^Automatic compaction is off\.\nThe context is compacted only when/,
  );
  expect(await runForText("/autocompact on", context)).toMatch(/^Automatic compaction is on until you quit\./);
});

const branchSummary = summary.replace("fix it [#1]", "a side track [#3]");
const requestsOf = ({ agent }: { readonly agent: Agent }): string =>
  JSON.stringify((agent.model as unknown as { requests: unknown }).requests);

test("CUT12 /compact --up-to keeps every entry from the given one, --preview reports that first, and /undo reverts it", async () => {
  const context = await createCommandContext(long(20), { replies: [summary] });
  const before = context.agent.contextUsage().tokens;
  const preview = await runForText("/compact --up-to #12 --preview", context);
  expect(preview).toMatch(
    /^Would summarize 11 entries and keep 30: [\d,]+ → about [\d,]+ tokens\.\n\d+ of your messages stay word for word\.\n/,
  );
  expect(await runForText("/compact --up-to #12 keep the numbers", context)).toMatch(
    /^Compacted: .*; 11 entries summarized, 30 kept;.* \/undo undoes it\.$/,
  );
  expect(requestsOf(context)).toContain("Additional focus: keep the numbers");
  expect(context.agent.session.branch.entries[0]?.id).toBe("e12");
  await runForText("/undo", context);
  expect(context.agent.contextUsage().tokens).toBe(before);
});

test("CUT12 /compact --from-originals rewrites the summary from the original messages, and the receipt says that", async () => {
  const context = await createCommandContext(long(20), {
    replies: [summary.replace("the work", "the zebra"), summary],
  });
  await runForText("/compact", context);
  expect(await runForText("/compact", context)).toContain("/compact --from-originals rewrites its summary");
  expect(await runForText("/compact --from-originals --preview", context)).toMatch(
    / entries from the originals and keep \d+:/,
  );
  expect(await runForText("/compact --from-originals", context)).toMatch(
    /^Compacted: .*; summary by anthropic\/storyteller; \d+ entries summarized from the originals, \d+ kept;/,
  );
  const [, again] = (context.agent.model as unknown as { requests: readonly unknown[] }).requests;
  expect(JSON.stringify(again)).toContain("[#1] fix it");
  expect(JSON.stringify(again)).not.toContain("zebra");
});

test("CUT12 /compact --from replaces everything after an entry and says how to go back", async () => {
  const context = await createCommandContext([...long(20), "says: done"], { replies: [branchSummary] });
  const { leaf } = context.agent.session;
  const before = context.agent.contextUsage().tokens;
  expect(await runForText("/compact --from #10 --preview", context)).toMatch(
    /^Would replace 32 entries after #10 with a summary and keep the 10 before: [\d,]+ → about [\d,]+ tokens\.\nSummary by anthropic\/storyteller, /,
  );
  expect(context.agent.session.leaf).toBe(leaf);
  expect(await runForText("/compact --from #10 mind the names", context)).toBe(
    "Compacted: a summary replaces 32 entries after #10. To go back to them: /tree e42.",
  );
  expect(requestsOf(context)).toContain("mind the names");
  expect(context.agent.session.branch.entries.map(({ type }) => type).slice(9)).toEqual(["message", "branch_summary"]);
  await runForText("/tree e42", context);
  expect(context.agent.contextUsage().tokens).toBe(before);
});

test("CUT12 the preview of --from does not count a pin after the entry as kept, and says that it stays on the old branch", async () => {
  const context = await createCommandContext(long(5), { replies: [branchSummary] });
  await runForText("/pin never push to main", context);
  expect(await runForText("/compact --from #4 --preview", context)).toMatch(
    /with a summary and keep the 4 before: .*\n1 pin stays on the branch you leave\.\nSummary by /,
  );
  await runForText("/compact --from #4", context);
  expect(await runForText("/pin", context)).toMatch(/^There are no pins\./);
});

test("CUT12 a failed summary of --from is reported as a failed compaction, without flags of other commands", async () => {
  const refused = { failure: { kind: "refused", message: "no credit" } } as const;
  const context = await createCommandContext(long(5), { replies: [refused] });
  const { leaf } = context.agent.session;
  expect(await runForResult("/compact --from #4", context)).toMatchObject({
    type: "failed",
    message: expect.stringMatching(
      /^not compacted: no summary was written \(anthropic\/storyteller: .*no credit.*\); try again$/,
    ),
  });
  expect(context.agent.session.leaf).toBe(leaf);
});

test("CUT12 /compact --from a user message puts that message back into the editor", async () => {
  const context = await createCommandContext(long(3), { replies: [branchSummary] });
  expect(await runForResult("/compact --from #5", context)).toMatchObject({ type: "draft", draft: "and then 1" });
});

test("CUT9 CUT12 a compaction that is not possible says what to do and changes nothing", async () => {
  const context = await createCommandContext([...long(3), "moves: e2", "user: another way", "says: it is"], {
    replies: [branchSummary],
  });
  const { leaf } = context.agent.session;
  const why = async (words: string): Promise<string> => {
    const answer = await runForResult(words, context);
    return answer.type === "mistake" || answer.type === "failed" ? answer.message : JSON.stringify(answer);
  };
  expect(await why("/compact --up-to")).toBe(
    "--up-to needs an entry, e.g. /compact --up-to #12; /tree shows the numbers",
  );
  expect(await why("/compact --from #99")).toBe('no entry "#99" in this session; /tree shows the entries');
  expect(await why("/compact --from #2 --from-originals")).toMatch(/^--from cannot be combined with --up-to or/);
  expect(await why("/compact --from #5")).toBe("#5 is on another branch; /tree #5 goes there");
  expect(await why("/compact --from #10 --preview")).toBe(
    "there is nothing to summarize after #10; choose an earlier entry",
  );
  for (const words of ["/compact --up-to #5", "/compact --up-to #5 --preview"])
    expect(await why(words)).toBe(
      "not compacted: the entry is not on the current branch; choose one that is, or go to its branch first",
    );
  expect(await why("/compact --up-to #1")).toBe(
    "not compacted: there is nothing to summarize before the entry; choose a later one",
  );
  expect(context.agent.session.leaf).toBe(leaf);
});
