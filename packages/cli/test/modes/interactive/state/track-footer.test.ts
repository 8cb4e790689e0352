/** Tests modes/interactive/state/track-footer.ts: footer data, place in the tree, compaction hint, context meter. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { type CompactionEntry, compactionLimits, createBudget, undoCompaction } from "@pith/context";
import { appendToBranch, loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { buildContextReport } from "../../../../src/context-report/report.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { initialScreenState, type ScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import {
  buildContextMeter,
  findTreePosition,
  formatCompactionHint,
  trackFooter,
} from "../../../../src/modes/interactive/state/track-footer.ts";
import { CompactionCounter } from "../../../../src/sessions/session-stats.ts";
import { createCommandContext } from "../../../support/command-context.ts";
import { startInteractiveApp, waitForScreen, waitUntilIdle } from "../../../support/interactive-app.ts";
import { ALT_U, exchangeMessages, startLongSession } from "../../../support/sample-conversations.ts";

describe("footer data", () => {
  test("MET5 the cost includes the whole session and its summaries, and an undo does not reduce it", async () => {
    const app = await startLongSession();
    await exchangeMessages(app, 5);
    await app.waitUntil(() => (app.screen.state.footer.cost ?? 0) > 0);
    const replies = app.screen.state.footer.cost ?? 0;
    app.submit("/compact all of it");
    await waitForScreen(app, "compacted:");
    await waitUntilIdle(app);
    await app.waitUntil(() => (app.screen.state.footer.cost ?? 0) > replies);
    await app.waitUntil(() => (app.screen.state.footer.meter?.parts.summary ?? 0) > 0);
    const { cost } = app.screen.state.footer;
    app.terminal.press(ALT_U);
    await app.waitUntil(() => app.screen.state.footer.meter?.parts.summary === 0);
    expect(app.screen.state.footer.cost).toBe(cost);
  });

  test("MET5 the meter is not recomputed for the pieces of a reply", async () => {
    const words = "one two three four five six seven eight nine ten";
    const app = await startInteractiveApp([
      { parts: [{ type: "text", text: words.repeat(20) }], pace: { everyMs: 5, chunk: 10 } },
    ]);
    await app.waitUntil(() => app.screen.state.footer.meter !== null);
    const meters = new Set<unknown>();
    const change = app.screen.update.bind(app.screen);
    app.screen.update = (act) => {
      change(act);
      meters.add(app.screen.state.footer.meter);
    };
    app.submit("count");
    await app.waitForText("ten");
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
    expect(meters.size).toBeLessThan(12);
  });

  test("MET5 MET6 the session name and the git branch are shown and updated", async () => {
    const app = await startInteractiveApp(["yes", "no"], {
      prepare: ({ folder }) => {
        mkdirSync(join(folder, ".git"));
        writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/first\n");
      },
    });
    await app.waitUntil(() => app.screen.state.footer.gitBranch === "first");
    app.submit("/name my own name");
    await app.waitUntil(() => app.screen.state.footer.sessionName === "my own name");
    writeFileSync(join(app.folder, ".git/HEAD"), "ref: refs/heads/second\n");
    app.submit("go");
    await app.waitUntil(() => app.screen.state.footer.gitBranch === "second");
  });

  test("MET17 before the first message the meter has the system prompt and tools, as in /context", async () => {
    const app = await startInteractiveApp(["yes"]);
    await app.waitUntil(() => app.screen.state.footer.meter !== null);
    const meter = app.screen.state.footer.meter;
    expect(meter?.tokens).toBeGreaterThan(500);
    expect(meter?.parts.system).toBe(meter?.tokens);
    app.submit("/name my own");
    await app.waitUntil(() => app.screen.state.footer.sessionName === "my own");
    expect(app.screen.state.footer.meter?.tokens).toBe(meter?.tokens);
    app.submit("/context");
    await waitForScreen(app, "system prompt and tools");
  });
});

describe("place in the tree", () => {
  const placeAfter = async (...lines: readonly string[]): Promise<string | null> =>
    findTreePosition((await createCommandContext(lines)).agent.session);

  test("MET5 the branches are counted, and a position before the end of a branch is shown", async () => {
    expect(await placeAfter("user: one", "says: two")).toBeNull();
    expect(await placeAfter("user: one", "says: two", "moves: e1", "says: three")).toBe("2 branches");
    expect(await placeAfter("user: one", "says: two", "moves: e1", "says: three", "user: four", "moves: e1")).toMatch(
      /^not at the end of a branch · \d branches$/,
    );
  });
});

describe("compaction hint", () => {
  function compaction(receipt: object): CompactionEntry {
    const entry = story("user: go", "compacts: told, keeps nothing").find(({ type }) => type === "compaction");
    if (entry?.type !== "compaction") throw new Error("no compaction");
    const whole = {
      route: "model",
      withoutProgress: 0,
      tokens: { before: 9, after: 3, limit: null },
      findings: [],
      ...receipt,
    };
    return { ...entry, details: { pith: { receipt: whole } } };
  }

  const once = { counts: { compactions: 1, entries: 90 } };
  const twice = { counts: { compactions: 2, entries: 1_212 } };
  const found = (...codes: readonly string[]) => ({ findings: codes.map((code) => ({ code, note: "a note" })) });

  test("MET15 a repeated compaction says how often and how much was summarized, and suggests a new session", () => {
    expect(formatCompactionHint(compaction({}), once)).toBeNull();
    expect(formatCompactionHint(compaction({}), twice)).toBe(
      "Compacted 2 times; 1,212 entries summarized, all still searchable. /handoff <goal> starts a new session.",
    );
    expect(formatCompactionHint(compaction({}), { counts: { compactions: 3, entries: null } })).toMatch(
      /^Compacted 3 times; all entries are still searchable\. /,
    );
  });

  test("MET15 only findings that mark lines of the summary are counted", () => {
    const codes = ["unknown-id", "false-quote", "unknown-name", "unfounded", "not-from-user"];
    expect(
      formatCompactionHint(compaction(found(...codes, "user-messages-hidden", "summarizer-failed", "too-long")), once),
    ).toBe("5 lines in the summary are marked (unconfirmed) or (not from the user). Alt+S shows them.");
    expect(formatCompactionHint(compaction(found("unfounded")), twice)).toBe(
      "Compacted 2 times; 1,212 entries summarized, all still searchable. 1 line in the summary is marked (unconfirmed) or (not from the user). Alt+S shows it.",
    );
    expect(formatCompactionHint(compaction(found("user-messages-hidden", "result-reduced")), once)).toBeNull();
  });

  test("MET15 a summary built without a model is mentioned", () => {
    expect(formatCompactionHint(compaction({ route: "model-free" }), once)).toBe(
      "The summary was built without a model. Alt+S shows it.",
    );
  });

  test("MET15 during a run the hint names the keys, since the receipt is printed without them", () => {
    expect(formatCompactionHint(compaction({}), { ...once, isRunning: true })).toBe(
      "Compacted. Alt+U undoes it; Alt+S shows what the model sees now.",
    );
  });

  test.each([
    ["replaces an older hint", { isUndone: false, hint: "The summary was built without a model. Alt+S shows it." }],
    ["does not replace the hint of its undo", { isUndone: true, hint: "the hint before" }],
  ])("MET15 the hint of a compaction whose counts are read slowly %s", async (_, { isUndone, hint }) => {
    const context = await createCommandContext(["user: one", "says: two"], { isStored: false });
    const { session } = context.agent;
    const screen = {
      state: { ...initialScreenState, hint: "the hint before" } as ScreenState,
      update: (change: (state: ScreenState) => ScreenState) => {
        screen.state = change(screen.state);
      },
    };
    const app = { ...context, permissions: { mode: "edit" }, tools: [] };
    const tracker = trackFooter({ app, screen } as unknown as InteractiveContext);
    onTestFinished(() => tracker.stop());
    const read = Promise.withResolvers<void>();
    const readEntry = session.store.entry.bind(session.store);
    const slowRead = vi.spyOn(session.store, "entry").mockImplementationOnce(async (id) => {
      await read.promise;
      return await readEntry(id);
    });
    const { type, summary, firstKeptEntryId, tokensBefore, details } = compaction({ route: "model-free" });
    await session.append({ type, summary, firstKeptEntryId, tokensBefore, ...(details !== undefined && { details }) });
    expect(slowRead).toHaveBeenCalledTimes(1);
    const [entry] = session.branch.entries.filter((each) => each.type === "compaction");
    if (isUndone) expect(await undoCompaction(session)).toMatchObject({ type: "undone" });
    expect(screen.state.hint).toBe("the hint before");
    read.resolve();
    // The tracker counts the same entries and began first, so one turn of the event loop later it has its counts, too.
    if (entry) await new CompactionCounter().countTo(entry, session.store);
    await turnOfEventLoop();
    expect(screen.state.hint).toBe(hint);
  });

  test("MET15 an undone compaction is not counted, and the hint disappears with the next message", async () => {
    const app = await startLongSession();
    const hints = (pattern: RegExp): Promise<void> => app.waitUntil(() => pattern.test(app.screen.state.hint ?? ""));
    await exchangeMessages(app, 5);
    app.submit("/compact all of it");
    await waitForScreen(app, "compacted:");
    await waitUntilIdle(app);
    expect(app.screen.state.hint ?? "").not.toContain("times");
    await exchangeMessages(app, 5, 6);
    app.submit("/compact once more");
    await hints(/^Compacted 2 times; \d+ entries summarized, all still searchable\./);
    await waitUntilIdle(app);
    app.terminal.press(ALT_U);
    await hints(/^The model now sees about /);
    app.submit("/compact yet again");
    await hints(/^Compacted 2 times; /);
    await waitUntilIdle(app);
    app.submit("question 11");
    await app.waitUntil(() => app.screen.state.hint === null);
  });
});

describe("context meter", () => {
  const line = fc.oneof(
    ...["user: do this", "says: done", "note: by the way", "bash: ls -> a.ts"].map((each) => fc.constant(each)),
    fc.constant("thinks: hm"),
    fc.nat(60).map((count) => `user: ${"more words ".repeat(count + 1)}`),
    fc.nat(60).map((count) => `says: ${"an answer, and ".repeat(count + 1)}`),
  );

  test("MET2 the parts of the meter add up to its tokens and match /context, on any branch", () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(4_000), (lines, cut, fixed) => {
        const storyLines = [
          "system: You work.",
          "user: go",
          ...lines.filter((each, at) => !each.startsWith("thinks") || lines[at + 1]?.startsWith("says")),
        ];
        const entries = story(...storyLines);
        const firstKept = entries[1 + (cut % (entries.length - 1))]?.id;
        const branch =
          cut % 2 === 0
            ? storyLines
            : [...storyLines, `compacts: what was done, keeps ${firstKept}`, "user: on", "says: yes"];
        const window = loadBranch(story(...branch));
        const budget = createBudget(compactionLimits, { contextWindow: 50_000, fixed });
        const meter = buildContextMeter(window, budget);
        const report = buildContextReport(window, budget);
        const of = (place: string): number =>
          report.parts.filter((part) => part.place === place).reduce((sum, { tokens }) => sum + tokens, 0);
        const { system, pins, userMessages, summary, kept, recent } = meter.parts;
        expect(system + pins + userMessages + summary + kept + recent).toBe(meter.tokens);
        expect([meter.tokens, meter.limit, meter.softLimit, meter.pauseReason]).toEqual([
          report.tokens,
          report.limit,
          report.soft,
          report.pauseReason,
        ]);
        expect([system, pins + userMessages + summary, kept + recent]).toEqual([
          of("system"),
          of("summary"),
          of("messages"),
        ]);
      }),
    );
  });

  test("MET2 the meter has the numbers of agent.contextUsage", async () => {
    const { agent } = await createCommandContext(["user: go", "says: gone", "user: again"]);
    const { tokens, contextWindow } = agent.contextUsage();
    expect(buildContextMeter(agent.session.branch, agent.budget)).toMatchObject({ tokens, contextWindow });
  });

  test("MET2 a meter updated entry by entry equals one that is computed from the whole branch", () => {
    const budget = createBudget(compactionLimits, { contextWindow: 50_000 });
    const entries = story(
      "user: go",
      "says: one",
      "user: two",
      "says: three",
      "compacts: told, keeps e3",
      "user: four",
      "says: five",
    );
    let window = loadBranch(entries.slice(0, 1));
    for (const entry of entries.slice(1)) {
      window = appendToBranch(window, [entry]);
      const anew = loadBranch(structuredClone(entries.slice(0, entries.indexOf(entry) + 1)));
      expect(buildContextMeter(window, budget)).toEqual(buildContextMeter(anew, budget));
    }
  });

  test("MET5 updating the meter after a few of ten thousand messages costs a fraction of the first computation", () => {
    const lines = Array.from({ length: 5_000 }, (_, at) => [`user: number ${at}`, `says: it is ${at}`]).flat();
    let window = loadBranch(story(...lines));
    const budget = createBudget(compactionLimits, { contextWindow: 400_000 });
    const took = (act: () => unknown): number => {
      const begun = performance.now();
      act();
      return performance.now() - begun;
    };
    const whole = took(() => buildContextMeter(window, budget));
    const later = story(...Array.from({ length: 50 }, () => "user: more")).map((entry, at) => {
      window = appendToBranch(window, [{ ...entry, id: `m${at}`, parentId: at === 0 ? "e10000" : `m${at - 1}` }]);
      return took(() => buildContextMeter(window, budget));
    });
    // Of many the middle, since others use this machine as well.
    expect(later.toSorted((one, other) => one - other)[25] ?? whole).toBeLessThan(whole / 3);
  });
});
