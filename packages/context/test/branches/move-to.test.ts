/** Proves that a move is done completely or not at all, and that the branch it leaves is summarized once, in the right place, with its evidence. */

import { describe, expect, test } from "vitest";
import { type MoveResult, type MoveToOptions, moveTo } from "../../src/branches/move.ts";
import { type BranchSummaryEntry, MOVE_TYPE } from "../../src/entry.ts";
import type { Model } from "../../src/model.ts";
import { type ScriptedReply, scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { contextLines, createSession, smallBudget } from "../support/small-session.ts";
import { allEntries } from "./random-session.ts";

const tree = [
  "user: fix the login",
  "says: on it",
  "user: try it with cookies",
  "calls: bash command=make",
  "fails: cookie jar is empty",
  "says: cookies do not work",
  "moves: e2",
  "user: try it with tokens",
  "says: tokens work",
  "moves: e6",
];

const story = (line = "try it with cookies [#3]"): string => `## Goal
- ${line}

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] ran make, the cookie jar is empty [#5]

### In Progress
- (none)

### Blocked
- cookies do not work [#6]

## Key Decisions
- (none)

## Next Steps
1. (none)`;

const budget = smallBudget({ branch: { tokens: 600, share: 1 } });

async function going(target: string | null, parts: Partial<MoveToOptions> = {}, ...lines: readonly string[]) {
  const session = await createSession(...(lines.length > 0 ? lines : tree));
  const before = allEntries(session);
  const outcome = await moveTo({ session, target, budget, runtime: testRuntime("m"), ...parts });
  return { session, outcome, added: allEntries(session).slice(before.length) };
}

const by = (...replies: readonly ScriptedReply[]): { readonly models: readonly Model[] } => ({
  models: [scriptedModel(...replies)],
});

describe("target", () => {
  test("MOVE4 a user message moves to before it, with its text returned for editing", async () => {
    const { outcome, session, added } = await going("e8");
    expect(outcome).toEqual({ type: "moved", leaf: added[0]?.id, editorText: "try it with tokens" });
    expect(added).toMatchObject([{ type: "custom", customType: MOVE_TYPE, parentId: "e7" }]);
    expect(contextLines(session)).toEqual(["0 user      fix the login", "1 assistant on it"]);
  });

  test("MOVE4 the first message moves to an empty context", async () => {
    const { outcome, session, added } = await going("e1");
    expect(outcome).toEqual({ type: "moved", leaf: added[0]?.id, editorText: "fix the login" });
    expect(added).toMatchObject([{ parentId: null }]);
    expect(contextLines(session)).toEqual([""]);
  });

  test("MOVE4 any other entry becomes the leaf", async () => {
    const { outcome, session } = await going("e9");
    expect(outcome).toEqual({ type: "moved", leaf: session.leaf });
    expect(contextLines(session).at(-1)).toBe("3 assistant tokens work");
  });

  test("MOVE4 the current position is nothing to do, even after a move", async () => {
    const { outcome, added } = await going("e6");
    expect(outcome).toEqual({ type: "nothing-to-do", why: "here" });
    expect(added).toEqual([]);
  });

  test("MOVE4 an unknown entry throws an error with its id", async () => {
    await expect(going("e99")).rejects.toThrow("cannot move to e99: it is not in this session");
  });

  test.each(["streaming", "compacting", "moving"] as const)(
    "MOVE5 B80 no move is made while the session is %s",
    async (by) => {
      const session = await createSession(...tree);
      const release = session.markBusy(by);
      const move = (): Promise<MoveResult> => moveTo({ session, target: "e9", budget, runtime: testRuntime("m") });
      expect(await move()).toEqual({ type: "refused", why: by });
      release();
      expect(await move()).toMatchObject({ type: "moved" });
      expect(session.busyReasons).toEqual([]);
    },
  );
});

describe("branch summary", () => {
  test("MOVE3 BR3 is a child of the target, with the old leaf's id and the files and findings of its tools", async () => {
    const model = scriptedModel(story());
    const { outcome, session, added } = await going("e9", { summary: { models: [model] } });
    expect(added).toHaveLength(1);
    const [summary] = added as BranchSummaryEntry[];
    expect(summary).toMatchObject({ type: "branch_summary", parentId: "e9", fromId: "e6" });
    expect(outcome).toEqual({ type: "moved", leaf: summary?.id, summary });
    expect(summary?.summary).toContain("- try it with cookies [#3]\n");
    expect(summary?.summary).toContain("ran make, the cookie jar is empty [#5]\n");
    expect(summary?.summary.slice(summary.summary.indexOf("## Next Steps"))).toMatch(/make.*cookie jar is empty/s);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("cookie jar is empty");
    expect(contextLines(session).at(-1)).toContain("cookies do not work");
  });

  test("BR4 of a branch that has not changed is reused without a request", async () => {
    const model = scriptedModel(story());
    const { session } = await going("e9", { summary: { models: [model] } });
    const first = session.leaf;
    await moveTo({ session, target: "e6", budget, runtime: testRuntime("b") });
    const again = await moveTo({
      session,
      target: "e9",
      budget,
      runtime: testRuntime("c"),
      summary: { models: [model] },
    });
    expect(model.requests).toHaveLength(1);
    expect(again).toMatchObject({ type: "moved", summary: { parentId: "e9" } });
    const [one, other] = await Promise.all([first, session.leaf].map((id) => session.store.entry(id ?? "")));
    expect((other as BranchSummaryEntry).summary).toBe((one as BranchSummaryEntry).summary);
    expect(other).not.toHaveProperty("usage");
  });

  test("BR4 of a branch that grew is made from the new part only", async () => {
    const model = scriptedModel(story(), story());
    const { session } = await going("e9", { summary: { models: [model] } });
    await moveTo({ session, target: "e6", budget, runtime: testRuntime("b") });
    await session.append({ type: "message", message: { role: "user", content: "one more try", timestamp: 1 } });
    await moveTo({ session, target: "e9", budget, runtime: testRuntime("c"), summary: { models: [model] } });
    const requestText = JSON.stringify(model.requests[1]?.messages);
    expect(requestText).toContain("[User]: [#13] one more try");
    expect(requestText).toContain("previous-summary");
    expect(requestText).not.toContain("[Tool result]");
  });

  test("BR4 does not bring back lines that were removed from it", async () => {
    const plain = story().replace("- [x] ran make, the cookie jar is empty [#5]", "- [x] ran make [#4]");
    const model = scriptedModel(story(), plain);
    const { session } = await going("e9", { summary: { models: [model] } });
    await moveTo({ session, target: "e6", budget, runtime: testRuntime("b") });
    await session.append({ type: "context_edit", targetId: "e5", replacement: null });
    await moveTo({ session, target: "e9", budget, runtime: testRuntime("c"), summary: { models: [model] } });
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("cookie jar");
  });

  test.each([
    ["#3", "# User messages, word for word"],
    ["entry:e3", "What the user wrote, word for word:"],
  ])("BR3 AUD4 may cite a user message that a compaction kept: %s", async (reference, title) => {
    const words = `${title}\n\n[${reference}]\ntry it with cookies\n\n`;
    const front = [{ kind: "words", length: words.length, tokens: 20 }];
    const session = await createSession(
      "user: fix the login",
      "says: on it",
      "user: try it with cookies",
      "says: no",
      "says: never",
    );
    const details = { pith: { front } };
    await session.append({
      type: "compaction",
      id: "c1",
      summary: words,
      firstKeptEntryId: "c1",
      tokensBefore: 9,
      details,
    });
    await session.append({ type: "message", message: { role: "user", content: "leave it", timestamp: 1 } });
    const line = `try it with cookies [${reference}]\n- sell the whole shop [${reference}]`;
    const model = scriptedModel(story(line).replaceAll(/ \[#[56]\]/g, ""));
    const summary = { models: [model] };
    const outcome = await moveTo({ session, target: "e2", budget, runtime: testRuntime("m"), summary });
    expect(outcome).toMatchObject({ type: "moved" });
    expect((outcome as { summary: BranchSummaryEntry }).summary.summary).toContain(
      `- try it with cookies [${reference}]\n- sell the whole shop [${reference}] (unconfirmed)\n`,
    );
    expect(model.requests).toHaveLength(1);
  });

  test("BR4 with another focus is made again", async () => {
    const model = scriptedModel(story(), story());
    const { session } = await going("e9", { summary: { models: [model] } });
    await moveTo({ session, target: "e6", budget, runtime: testRuntime("b") });
    const summary = { models: [model], instructions: "the cookie jar" };
    await moveTo({ session, target: "e9", budget, runtime: testRuntime("c"), summary });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("Additional focus: the cookie jar");
  });

  test("BR6 of a branch without text is left out, and the move is made", async () => {
    const model = scriptedModel();
    const lines = ["user: one", "says: two", "moves: e1"];
    const { outcome, added } = await going("e2", { summary: { models: [model] } }, ...lines);
    expect(outcome).toMatchObject({ type: "moved" });
    expect(added).toMatchObject([{ type: "custom", customType: MOVE_TYPE }]);
    expect(model.requests).toEqual([]);
  });

  test("B64 gets the label of the move, and without a summary the target gets it", async () => {
    const labelled = await going("e9", { summary: by(story()), label: "tokens" });
    expect(labelled.added).toMatchObject([
      { type: "branch_summary" },
      { type: "label", targetId: labelled.added[0]?.id, label: "tokens" },
    ]);
    const chosen = await going("e8", { label: "tokens" });
    expect(chosen.added).toMatchObject([{ type: "label", targetId: "e8", label: "tokens", parentId: "e7" }]);
    const plain = await going("e9", { label: "tokens" });
    expect(plain.added).toMatchObject([{ type: "label", targetId: "e9", label: "tokens", parentId: "e9" }]);
  });
});

describe("failure of the summary", () => {
  const usage = { ...emptyUsage, input: 5, totalTokens: 5 };

  test("BR5 leaves the position, logs the usage, and returns the reason", async () => {
    const broken = scriptedModel({ content: [{ type: "text", text: "## Goal" }], stopReason: "length", usage });
    const { outcome, session, added } = await going("e9", { summary: { models: [broken] } });
    expect(outcome).toEqual({
      type: "failed",
      why: "summary",
      failures: [{ code: "truncated", note: "anthropic/storyteller: the reply was cut off" }],
    });
    expect(added).toMatchObject([
      { type: "usage", kind: "branch_summary", model: "storyteller", parentId: "e10", usage },
    ]);
    expect(contextLines(session).at(-1)).toContain("cookies do not work");
  });

  test("BR5 because another writer changed the leaf returns leaf-moved, and logs the usage", async () => {
    const model = scriptedModel({ content: [{ type: "text", text: story() }], usage });
    const meddling: Model = {
      ...model,
      async *stream(request, act) {
        await session.append({ type: "message", message: { role: "user", content: "meanwhile", timestamp: 1 } });
        yield* model.stream(request, act);
      },
    };
    const session = await createSession(...tree);
    const outcome = await moveTo({
      session,
      target: "e9",
      budget,
      runtime: testRuntime("m"),
      summary: { models: [meddling] },
    });
    expect(outcome).toEqual({ type: "failed", why: "leaf-moved" });
    expect((await session.branchEntries()).slice(-2)).toMatchObject([{ type: "message" }, { type: "usage", usage }]);
  });

  test("SUM8 of one model is followed by the next model", async () => {
    const failure = { kind: "busy" as const, message: "429" };
    const models = [scriptedModel({ failure }), scriptedModel(story())];
    expect((await going("e9", { summary: { models } })).outcome).toMatchObject({ type: "moved", summary: {} });
  });

  test("BR5 by an abort before, during or after the reply leaves the session unchanged", async () => {
    for (const when of ["before", "while", "after"] as const) {
      const controller = new AbortController();
      const model = scriptedModel(story());
      const aborting: Model = {
        ...model,
        async *stream(request, act) {
          if (when === "while") controller.abort();
          for await (const event of model.stream(request, act)) {
            if (when === "after" && event.type === "reply-ended") controller.abort();
            yield event;
          }
        },
      };
      if (when === "before") controller.abort();
      const parts = { summary: { models: [aborting] }, signal: controller.signal };
      const { outcome, session, added } = await going("e9", parts);
      expect([when, outcome]).toEqual([when, { type: "cancelled" }]);
      expect(added.filter(({ type }) => type !== "usage")).toEqual([]);
      expect(session.busyReasons).toEqual([]);
    }
  });
});

describe("hooks", () => {
  const before = (answer: object) => ({ session_before_tree: [() => answer] });

  test("HOOK1 get the planned move and can cancel it", async () => {
    const events: unknown[] = [];
    const hooks = {
      session_before_tree: [
        ({
          preparation: { entriesToSummarize, ...rest },
        }: {
          preparation: { entriesToSummarize: { id: string }[] };
        }) => {
          events.push({ ...rest, entries: entriesToSummarize.map(({ id }) => id) });
          return { cancel: true };
        },
      ],
    };
    const { outcome, added } = await going("e9", { hooks, label: "here" });
    expect(events).toEqual([
      {
        targetId: "e9",
        oldLeafId: "e6",
        commonAncestorId: "e2",
        entries: ["e3", "e4", "e5", "e6"],
        userWantsSummary: false,
        label: "here",
      },
    ]);
    expect([outcome, added]).toEqual([{ type: "cancelled" }, []]);
  });

  test("HOOK1 HOOK2 AUD7 can provide the summary, in which every line that is not in the log is marked", async () => {
    const summary =
      "## Goal\n- try it with cookies\n- delete the production database\n\n## Done\n- wrote src/ghost.ts [#4]";
    const hooks = before({ summary: { summary, details: { mine: 1 } } });
    const wanted = await going("e9", { hooks, summary: { models: [] } });
    expect(wanted.added).toMatchObject([{ type: "branch_summary", fromHook: true, details: { mine: 1 } }]);
    expect((wanted.added[0] as BranchSummaryEntry).summary).toMatch(
      /^## Goal\n- try it with cookies \[#3\]\n- delete the production database \(unconfirmed\)\n\n## Done\n- wrote src\/ghost\.ts \[#4\] \(unconfirmed\)\n/,
    );
    const unwanted = await going("e9", { hooks });
    expect(unwanted.added).toMatchObject([{ type: "custom", customType: MOVE_TYPE }]);
  });

  const hookUsage = { ...emptyUsage, input: 7, totalTokens: 7 };

  test("BR5 the usage of a hook's summary that is rejected is logged, and a model writes the summary", async () => {
    const model = scriptedModel({ content: [{ type: "text", text: story() }], usage: { ...hookUsage, input: 5 } });
    const refused = { summary: "far too long ".repeat(2_000), usage: hookUsage };
    const hooks = { session_before_tree: [() => ({ summary: refused })] };
    const { outcome, added } = await going("e9", { summary: { models: [model] }, hooks });
    expect(outcome).toMatchObject({ type: "moved", summary: { usage: { input: 5 } } });
    expect(added).toMatchObject([
      { type: "branch_summary" },
      { type: "usage", kind: "branch_summary", usage: hookUsage },
    ]);
  });

  test("BR5 the usage of a hook's summary is logged even if the move is not made", async () => {
    const session = await createSession(...tree);
    const meddle = () =>
      session.append({ type: "message", message: { role: "user", content: "meanwhile", timestamp: 1 } });
    const hooks = {
      session_before_tree: [
        async () => {
          await meddle();
          return { summary: { summary: story(), usage: hookUsage } };
        },
      ],
    };
    const summary = by("unused");
    const outcome = await moveTo({ session, target: "e9", budget, runtime: testRuntime("m"), summary, hooks });
    expect(outcome).toEqual({ type: "failed", why: "leaf-moved" });
    const [, last] = (await session.branchEntries()).slice(-2);
    expect(last).toMatchObject({ type: "usage", kind: "branch_summary", usage: hookUsage });
  });

  test("HOOK1 can set the instructions and the label", async () => {
    const model = scriptedModel(story());
    const hooks = before({ customInstructions: "the jar", label: "jar" });
    const { added } = await going("e9", { hooks, summary: { models: [model], instructions: "all" } });
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("Additional focus: the jar");
    expect(added[1]).toMatchObject({ type: "label", label: "jar" });
    const free = scriptedModel("It was about a jar.");
    const replacing = before({ customInstructions: "Say what it was about.", replaceInstructions: true });
    const { outcome } = await going("e9", { hooks: replacing, summary: { models: [free] } });
    expect(outcome).toMatchObject({
      type: "moved",
      summary: { summary: expect.stringMatching(/^It was about a jar\./) },
    });
    expect(JSON.stringify(free.requests[0]?.messages)).toMatch(/Say what it was about\."/);
  });

  test("HOOK4 that throw are reported, and the move is made, or not, as the host chooses", async () => {
    const reported: unknown[] = [];
    const failing = {
      session_before_tree: [
        () => {
          throw new Error("no");
        },
      ],
      report: (failure: unknown) => reported.push(failure),
    };
    expect((await going("e9", { hooks: failing })).outcome).toMatchObject({ type: "moved" });
    expect(reported).toEqual([{ event: "session_before_tree", why: "no" }]);
    const shouting = {
      ...failing,
      report: () => {
        throw new Error("nobody listens");
      },
    };
    expect((await going("e9", { hooks: shouting })).outcome).toMatchObject({ type: "moved" });
    const strict = { ...failing, onFailure: "cancel" as const };
    expect((await going("e9", { hooks: strict })).outcome).toEqual({ type: "cancelled" });
  });

  test("HOOK5 get the finished move, and their entries are appended after it", async () => {
    const events: unknown[] = [];
    const note = {
      type: "custom_message" as const,
      customType: "note",
      content: "files were not moved",
      display: true,
    };
    const hooks = {
      session_tree: [
        (event: unknown) => {
          events.push(event);
          return { entries: [note] };
        },
      ],
    };
    const { session, added } = await going("e9", { hooks, summary: by(story()) });
    expect(events).toEqual([
      { type: "session_tree", newLeafId: added[0]?.id, oldLeafId: "e6", summaryEntry: added[0], fromExtension: false },
    ]);
    expect(contextLines(session).at(-1)).toContain("files were not moved");
  });
});
