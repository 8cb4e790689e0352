/** Every panel there is, with one text wherever somebody's words can stand. */

import type { PlannedFile } from "@pith/agent";
import { budgetFor, compactionLimits, windowOf } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import { contextReport } from "../../../src/commands/fitting/context-report.ts";
import { seenParts } from "../../../src/commands/fitting/seeing/seen-parts.ts";
import { growOutline } from "../../../src/commands/walking/outlining/grow-outline.ts";
import { forkLook, treeLook } from "../../../src/screen/acting/walking/looks.ts";
import { choice } from "../../../src/screen/panels/choice.ts";
import { modelPanel } from "../../../src/screen/panels/choosing/model-panel.ts";
import { settingsPage } from "../../../src/screen/panels/choosing/settings-page.ts";
import { onceQuiet } from "../../../src/screen/panels/extending/once-quiet.ts";
import { confirmPanel, fewPanel, inputPanel, manyPanel } from "../../../src/screen/panels/extending/questions.ts";
import { askBefore } from "../../../src/screen/panels/fitting/ask-before.ts";
import { autoChoice } from "../../../src/screen/panels/fitting/auto-choice.ts";
import { contextPage } from "../../../src/screen/panels/fitting/context/page.ts";
import { preview } from "../../../src/screen/panels/fitting/preview.ts";
import { seenPage } from "../../../src/screen/panels/fitting/seen-page.ts";
import { diffPanel } from "../../../src/screen/panels/looking/diff-panel.ts";
import type { Panel } from "../../../src/screen/panels/panel.ts";
import { questionPanel } from "../../../src/screen/panels/permitting/question-panel.ts";
import { trustPage } from "../../../src/screen/panels/permitting/trust-page.ts";
import { pageLines } from "../../../src/screen/panels/reading/page-lines.ts";
import { pager } from "../../../src/screen/panels/reading/pager.ts";
import { textPage } from "../../../src/screen/panels/reading/text-page.ts";
import { sessionsPanel } from "../../../src/screen/panels/sessions/sessions-panel.ts";
import { transcriptPanel } from "../../../src/screen/panels/transcript/transcript-panel.ts";
import { filesPanel } from "../../../src/screen/panels/walking/questions/files-panel.ts";
import { leaveQuestion } from "../../../src/screen/panels/walking/questions/leave-question.ts";
import { oneLinePanel } from "../../../src/screen/panels/walking/questions/one-line.ts";
import { treePanel } from "../../../src/screen/panels/walking/tree/tree-panel.ts";
import { pick } from "../../../src/screen/starting/panels/pick.ts";
import { secretLine } from "../../../src/screen/starting/panels/secret-line.ts";
import type { Meter } from "../../../src/screen/state/facts.ts";
import { NOW } from "../shown-on.ts";
import { blocksOf } from "./hostile-blocks.ts";
import { hostileEntries, hostileStore } from "./hostile-session.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a panel knows is its own affair.
export type AnyPanel = Panel<any, any>;

type Made = readonly AnyPanel[] | Promise<readonly AnyPanel[]>;

const budget = budgetFor(compactionLimits, { contextWindow: 200_000 });
const option = (text: string) => ({ label: text, says: text, value: text });
const share = { count: 1, tokens: 1 };

/** By its file, as `panelsThereAre` names it. */
export const hostilePanels: Readonly<Record<string, (text: string) => Made>> = {
  "panels/choice.ts": (text) => [choice({ title: text, options: [option(text), option(text)] })],
  "panels/choosing/model-panel.ts": (text) => [
    modelPanel({ rows: [{ name: text, facts: null, isLocal: true }], speaking: text, more: async () => [] }),
  ],
  "panels/choosing/settings-page.ts": (text) => [
    settingsPage({ listed: [{ name: text, value: text, words: text, source: text, says: text }] }),
    settingsPage({ listed: [{ name: "a", value: { [text]: [text] }, source: text, says: text }] }),
  ],
  "panels/extending/once-quiet.ts": (text) => [onceQuiet(confirmPanel(text, text), 0)],
  "panels/extending/questions.ts": (text) => [
    fewPanel(text, [text, text]),
    manyPanel(text, [text, text]),
    confirmPanel(text, text),
    inputPanel(text, text),
  ],
  "panels/fitting/ask-before.ts": () => [askBefore({ tokens: 1, limit: 1, keeps: 1, seconds: 1, mayWait: true })],
  "panels/fitting/auto-choice.ts": () => [autoChoice(budget)],
  "panels/fitting/context/page.ts": (text) => [
    contextPage({
      report: contextReport(windowOf(hostileEntries(text)), budget),
      meter,
      next: ["words of ours"],
      entryText: () => text,
    }),
  ],
  "panels/fitting/preview.ts": (text) => [
    preview(
      { tokens: { before: 2, after: 1 }, dropped: share, kept: share, words: share, pins: 1, by: text, price: 1 },
      text,
    ),
  ],
  "panels/reading/pager.ts": (text) => [pager({ title: text, lines: (width) => pageLines(text, width) })],
  "panels/fitting/seen-page.ts": (text) => [
    seenPage(seenParts(windowOf(hostileEntries(text)), undefined), 1),
    seenPage([{ place: "pins", who: text, text }], 1),
  ],
  "panels/looking/diff-panel.ts": (text) => [
    diffPanel([
      { path: text, kind: "changed", patch: `@@\n+${text}\n-${text}\n ${text}`, added: 1, removed: 1, notes: [text] },
    ]),
  ],
  "panels/permitting/question-panel.ts": questions,
  "panels/reading/text-page.ts": (text) => [textPage({ title: text, lines: () => [], options: [option(text)] })],
  "panels/permitting/trust-page.ts": (text) => [trustPage(text)],
  "panels/sessions/sessions-panel.ts": (text) => [sessionsPanel(sessionsOf(text))],
  "panels/transcript/transcript-panel.ts": (text) => [transcriptPanel(transcriptOf(text))],
  "panels/walking/questions/files-panel.ts": (text) => [
    filesPanel({
      files: verdicts.map((type) => planned(text, type)),
      folder: "/work",
      diff: async () => `+${text}\n-${text}`,
    }),
  ],
  "panels/walking/questions/leave-question.ts": () => [leaveQuestion({ count: 2, canFork: true, canTell: true })],
  "panels/walking/questions/one-line.ts": (text) => [oneLinePanel({ title: text, hints: [text, text] })],
  "panels/walking/tree/tree-panel.ts": trees,
  "starting/panels/pick.ts": (text) => [pick({ title: text, rows: [option(text)], also: { a: "words of ours" } })],
  "starting/panels/secret-line.ts": (text) => [secretLine({ title: text, says: text, fault: text })],
};

/** Made within a function that shows it: drawn by `whileWaiting` alone, with words of ours. */
export const notByItself: readonly string[] = ["starting/panels/while-waiting.ts"];

const meter: Meter = {
  ...{ tokens: 1, contextWindow: 10, limit: 8, soft: 6, isAutomatic: true, held: null },
  parts: { system: 1, pins: 0, words: 0, checkpoint: 0, tail: 0, fresh: 0 },
};

function questions(text: string): Made {
  const matters = [
    { kind: "change", path: text, isNew: false, diff: `@@ -1 +1 @@\n-${text}\n+${text}` },
    { kind: "command", command: text },
    { kind: "address", url: text },
    { kind: "other", text },
  ] as const;
  const question = { tool: text, intent: null, arguments: { [text]: text }, text, rules: [] };
  return matters.map((matter) => questionPanel({ question, matter, quietMs: 0 }));
}

function sessionsOf(text: string): Parameters<typeof sessionsPanel>[0] {
  const item: SessionItem = {
    ...{
      path: text,
      id: text,
      cwd: text,
      created: text,
      modified: NOW,
      size: 1,
      firstMessage: text,
      parentSession: text,
    },
  };
  const items = [{ ...item, name: text }, item, { ...item, path: `${text}2`, damaged: text }];
  const about = { gist: text, model: text, isForeign: true, lastSaid: text, lastAnswer: text };
  const found = { query: "a", hits: [{ path: text, snippet: { text, marks: [] } }], pending: text };
  return {
    place: { cwd: text, here: null, userHome: "/home/u", now: () => NOW },
    list: async (learn) =>
      learn((state) => ({ ...state, items, isWhole: true, scope: "all", indexing: text, note: text })),
    look: async () => (state) => ({ ...state, abouts: new Map([[text, about]]) }),
    search: async () => (state) => ({ ...state, found }),
    rename: async () => (state) => ({ ...state, note: text }),
    trash: async () => (state) => ({ ...state, note: text }),
  };
}

function transcriptOf(text: string): Parameters<typeof transcriptPanel>[0] {
  const blocks = blocksOf(text).map((block, at) => ({ ...block, id: `b${at}` }));
  const mark = { last: "e1", count: blocks.length };
  return {
    title: text,
    marks: async (tell) => tell({ marks: [mark], pages: [blocks], isLast: true }),
    read: async () => blocks,
  };
}

const verdicts = ["restore", "remove", "same", "conflict", "lost"] as const;

function planned(path: string, type: PlannedFile["type"]): PlannedFile {
  return { path, type, expected: null, target: null, now: null, hasOthersWork: true };
}

async function trees(text: string): Promise<readonly AnyPanel[]> {
  const store = await hostileStore(text);
  const leaf = await store.leaf();
  return [treeLook, forkLook].map((look) =>
    treePanel({
      ...look,
      ...{ title: text, leaf, now: () => NOW },
      entry: async (id) => (await store.entry(id)) ?? undefined,
      growth: (signal) => growOutline({ store, leaf, signal }),
      name: async () => text,
    }),
  );
}
