/** Golden screens of the meter, of compactions under way, and of what fills the context. */

import { compactionLimits, createBudget } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { buildModelView } from "../../../../src/context-report/model-view.ts";
import { buildContextReport, describeNextCompaction } from "../../../../src/context-report/report.ts";
import {
  createAutoCompactPanel,
  createCompactionPanel,
  createSwitchPanel,
} from "../../../../src/modes/interactive/panels/auto-compact.ts";
import { createPreviewPanel } from "../../../../src/modes/interactive/panels/compaction.ts";
import { createContextPage, createSeenPage } from "../../../../src/modes/interactive/panels/context.ts";
import { createRulesPage } from "../../../../src/modes/interactive/panels/rules.ts";
import type { FooterData } from "../../../../src/modes/interactive/state/footer.ts";
import { buildContextMeter } from "../../../../src/modes/interactive/state/track-footer.ts";
import { sampleFooter, sampleMeter } from "../../../support/test-screen.ts";
import { golden, NOW } from "./golden.ts";

const [facts, meter] = [sampleFooter, sampleMeter];

function factsWith(more: Partial<FooterData>): FooterData {
  return { ...facts, ...more };
}

golden("the footer with a half-full context", ({ screen }) => screen.update((state) => ({ ...state, footer: facts })));

golden("the footer of a full context with automatic compaction off", ({ screen }) =>
  screen.update((state) => ({
    ...state,
    footer: factsWith({
      permissionMode: "all",
      isSandboxed: false,
      meter: {
        ...meter,
        tokens: 190_400,
        isAutoCompactEnabled: false,
        pauseReason: "off",
        parts: { ...meter.parts, recent: 151_200 },
      },
    }),
  })),
);

golden("the footer of an unknown context window", ({ screen }) =>
  screen.update((state) => ({
    ...state,
    footer: factsWith({
      sessionName: null,
      treePosition: null,
      meter: { ...meter, contextWindow: 0, limit: null, softLimit: null },
    }),
  })),
);

golden("the status line during a compaction", ({ screen }) =>
  screen.update((state) => ({
    ...state,
    footer: facts,
    activity: {
      type: "compacting",
      startedAt: NOW - 12_400,
      reason: "threshold",
      step: "part 2 of 3, 1,200 tokens so far",
    },
  })),
);

golden("the status line of a reply, with a hint", ({ screen }) =>
  screen.update((state) => ({
    ...state,
    footer: facts,
    activity: { type: "running", startedAt: NOW - 75_000, phase: "answering", chars: 4_812 },
    hint: "Compacted 3 times; 212 entries summarized, all still searchable. /handoff <goal> starts a new session.",
  })),
);

golden("the preview of a compaction", ({ screen }) => {
  screen.update((state) => ({ ...state, footer: facts }));
  const panel = createPreviewPanel(
    {
      tokens: { before: 84_211, after: 31_300 },
      dropped: { count: 142, tokens: 52_900 },
      kept: { count: 38, tokens: 19_800 },
      userMessages: { staying: 12, leaving: 3, tokens: 20_000 },
      pins: 3,
      lostPins: 0,
      summarizer: "anthropic/claude-sonnet-4-5",
      costUsd: 0.19,
    },
    { title: "Compact now?", focus: "every decision on the schema" },
  );
  void screen.showPanel(panel, { where: "inline" });
});

golden("the question before a compaction", ({ screen }) => {
  screen.update((state) => ({ ...state, footer: facts }));
  const compactionPrompt = { tokens: 194_201, limit: 183_616, keptTokens: 20_000, seconds: 25, contextWindow: 200_000 };
  void screen.showPanel(createCompactionPanel(compactionPrompt), { where: "inline" });
});

golden("the question before a switch to a smaller context window", ({ screen }) => {
  screen.update((state) => ({ ...state, footer: facts }));
  void screen.showPanel(createSwitchPanel({ tokens: 84_211, seconds: 25 }), { where: "inline" });
});

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

golden("the panel of /autocompact", ({ screen }) => {
  screen.update((state) => ({ ...state, footer: facts }));
  void screen.showPanel(createAutoCompactPanel(budget), { where: "inline" });
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

function contextShown(): Parameters<typeof createContextPage>[0] {
  const report = buildContextReport(window, budget);
  return {
    report,
    meter: buildContextMeter(window, budget),
    nextSteps: describeNextCompaction(report),
    entryText: () => "the words of an entry",
  };
}

golden(
  "the context page by kind",
  ({ screen }) => {
    void screen.showPanel(createContextPage(contextShown()), { where: "page" });
  },
  "context",
);

golden("the context page by entry", async ({ screen, terminal }) => {
  void screen.showPanel(createContextPage(contextShown()), { where: "page" });
  terminal.press("\x1b[D", "\x1b[B");
});

golden("the page of what the model sees", ({ screen }) => {
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
  void screen.showPanel(createSeenPage(buildModelView(compacted, undefined), { tokens: 1_234, isEstimate: true }), {
    where: "page",
  });
});

golden("the page of /rules", ({ screen, terminal }) => {
  const uncarried = { offers: 0, isEdited: false };
  const rules = {
    pins: [{ id: "p", text: "Never push to main." }],
    carriedLines: [
      { text: "Use tabs in every file of this project, never spaces", references: ["#5"] },
      { text: "Ask before you add a dependency, also for tests", references: ["#9", "#31"] },
    ],
    messages: [
      { reference: "#88", text: "Make the importer faster. […] Keep the CSV format." },
      {
        reference: "#104",
        text: "The customer table has 40 million rows, so every query needs an index.\nMeasure it.",
      },
      { reference: "#117", text: "now the tests" },
    ],
    stubs: [{ reference: "#41", line: "[#41] Look at the slow test in test/import.test.ts and…", ...uncarried }],
    hidden: { count: 2, first: "#17", last: "#23", messages: [] },
  };
  const hiddenMessages = [
    { reference: "#17", text: "What does the parser do with commas?" },
    { reference: "#23", text: "Rename the option to --limit." },
  ];
  const panel = createRulesPage({
    rules,
    readHidden: async () => hiddenMessages,
    readMessage: async () => "",
    pin: async () => ({ notice: "", rules }),
  });
  void screen.showPanel(panel, { where: "page" });
  terminal.press("\x1b[B");
});
