/** Golden screens of the meter, of compactions under way, and of what fills the context. */

import { compactionLimits, createBudget } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { seenParts } from "../../../../src/context-report/model-view.ts";
import { contextNext, contextReport } from "../../../../src/context-report/report.ts";
import { askBefore, askBeforeSwitch, autoChoice } from "../../../../src/modes/interactive/panels/auto-compact.ts";
import { preview } from "../../../../src/modes/interactive/panels/compaction.ts";
import { contextPage, seenPage } from "../../../../src/modes/interactive/panels/context.ts";
import type { Facts } from "../../../../src/modes/interactive/state/footer.ts";
import { meterOf } from "../../../../src/modes/interactive/state/track-footer.ts";
import { someFacts, someMeter } from "../render/facts-for-tests.ts";
import { golden, NOW } from "./golden.ts";

const [facts, meter] = [someFacts, someMeter];

function factsWith(more: Partial<Facts>): Facts {
  return { ...facts, ...more };
}

golden("the footer with a context half full", ({ screen }) => screen.change((state) => ({ ...state, facts })));

golden("the footer when it is full and nothing happens by itself", ({ screen }) =>
  screen.change((state) => ({
    ...state,
    facts: factsWith({
      mode: "all",
      isSandboxed: false,
      meter: { ...meter, tokens: 190_400, isAutomatic: false, held: "off", parts: { ...meter.parts, fresh: 151_200 } },
    }),
  })),
);

golden("the footer of a window nobody knows", ({ screen }) =>
  screen.change((state) => ({
    ...state,
    facts: factsWith({
      sessionName: null,
      place: null,
      meter: { ...meter, contextWindow: 0, limit: null, soft: null },
    }),
  })),
);

golden("a compaction under way", ({ screen }) =>
  screen.change((state) => ({
    ...state,
    facts,
    work: { type: "compacting", since: NOW - 12_400, reason: "threshold", step: "part 2 of 3, 1,200 tokens so far" },
  })),
);

golden("work under way and a hint", ({ screen }) =>
  screen.change((state) => ({
    ...state,
    facts,
    work: { type: "running", since: NOW - 75_000, doing: "answering", letters: 4_812 },
    hint: "Compacted 3 times; 212 entries summarised, all readable. /handoff GOAL starts a new session.",
  })),
);

golden("a compaction to confirm", ({ screen }) => {
  screen.change((state) => ({ ...state, facts }));
  const panel = preview(
    {
      tokens: { before: 84_211, after: 31_300 },
      dropped: { count: 142, tokens: 52_900 },
      kept: { count: 38, tokens: 19_800 },
      words: { count: 12, tokens: 20_000 },
      pins: 3,
      by: "anthropic/claude-sonnet-4-5",
      price: 0.19,
    },
    "every decision on the schema",
  );
  void screen.ask(panel, { where: "inline" });
});

golden("the question before a compaction", ({ screen }) => {
  screen.change((state) => ({ ...state, facts }));
  const asked = { tokens: 184_201, limit: 183_616, keeps: 20_000, seconds: 25, mayWait: false };
  void screen.ask(askBefore(asked), { where: "inline" });
});

golden("the question before a model that sees less", ({ screen }) => {
  screen.change((state) => ({ ...state, facts }));
  void screen.ask(askBeforeSwitch({ tokens: 84_211, seconds: 25 }), { where: "inline" });
});

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

golden("whether anything is compacted by itself", ({ screen }) => {
  screen.change((state) => ({ ...state, facts }));
  void screen.ask(autoChoice(budget), { where: "inline" });
});

const window = loadBranch(
  story(
    "system: You are Pith. You work in a folder, with tools.",
    "user: read the parser and say what it does",
    ...["src/parser.ts", "src/lexer.ts", "test/parser.test.ts"].flatMap((path, at) => [
      `calls: read path=${path}`,
      `result: ${"export const rule = (text: string) => text.trim();\n".repeat(90 * (3 - at))}`,
    ]),
    "calls: bash command=npm test",
    `result: ${"ok 1 - parses a line\n".repeat(120)}`,
    "thinks: the lexer drops the last token",
    "says: The parser reads tokens one by one and builds a tree; the lexer drops the last one.",
    "user: fix it",
  ),
);

function contextShown(): Parameters<typeof contextPage>[0] {
  const report = contextReport(window, budget);
  return {
    report,
    meter: meterOf(window, budget),
    next: contextNext(report),
    entryText: () => "the words of an entry",
  };
}

golden(
  "what fills the context by kind",
  ({ screen }) => {
    void screen.ask(contextPage(contextShown()), { where: "page" });
  },
  "context",
);

golden("what fills the context by entry", async ({ screen, terminal }) => {
  void screen.ask(contextPage(contextShown()), { where: "page" });
  terminal.press("\x1b[D", "\x1b[B");
});

golden("what the model sees now", ({ screen }) => {
  const compacted = loadBranch(
    story(
      "system: You are Pith.",
      "user: read the parser",
      "says: I read it.",
      "user: fix it",
      "compacts: Goal: fix the parser. It was read., keeps e4",
      "says: fixed",
      "user: now the tests",
    ),
  );
  void screen.ask(seenPage(seenParts(compacted, undefined), { tokens: 1_234, isEstimate: true }), { where: "page" });
});
