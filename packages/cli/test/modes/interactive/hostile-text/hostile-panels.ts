/** Every panel there is, with one text wherever somebody's words can stand. */

import type { PlannedFile } from "@pith/agent";
import { compactionLimits, createBudget } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import { loadBranch } from "@pith/context/store";
import { seenParts } from "../../../../src/context-report/model-view.ts";
import { contextReport } from "../../../../src/context-report/report.ts";
import { secretLine } from "../../../../src/modes/interactive/onboarding/questions.ts";
import { askBefore, askBeforeSwitch, autoChoice } from "../../../../src/modes/interactive/panels/auto-compact.ts";
import { choice, pick } from "../../../../src/modes/interactive/panels/choice.ts";
import { preview } from "../../../../src/modes/interactive/panels/compaction.ts";
import { contextPage, seenPage } from "../../../../src/modes/interactive/panels/context.ts";
import { diffPanel } from "../../../../src/modes/interactive/panels/diff.ts";
import {
  confirmPanel,
  fewPanel,
  inputPanel,
  manyPanel,
} from "../../../../src/modes/interactive/panels/extension-prompts.ts";
import { modelPanel } from "../../../../src/modes/interactive/panels/model.ts";
import { pageLines, pager, textPage } from "../../../../src/modes/interactive/panels/pager.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { questionPanel, trustPage } from "../../../../src/modes/interactive/panels/permission.ts";
import { sessionsPanel } from "../../../../src/modes/interactive/panels/sessions/panel.ts";
import { settingsPage } from "../../../../src/modes/interactive/panels/settings.ts";
import { transcriptPanel } from "../../../../src/modes/interactive/panels/transcript/transcript.ts";
import { forkLook, treeLook } from "../../../../src/modes/interactive/panels/tree/open.ts";
import { treePanel } from "../../../../src/modes/interactive/panels/tree/panel.ts";
import { filesPanel, leaveQuestion, oneLinePanel } from "../../../../src/modes/interactive/panels/tree/questions.ts";
import { withTyping } from "../../../../src/modes/interactive/panels/typing.ts";
import type { Meter } from "../../../../src/modes/interactive/state/footer.ts";
import { growOutline } from "../../../../src/sessions/read-outline.ts";
import { NOW } from "../shown-on.ts";
import { blocksOf } from "./hostile-blocks.ts";
import { hostileEntries, hostileStore } from "./hostile-session.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a panel knows is its own affair.
export type AnyPanel = Panel<any, any>;

type Made = readonly AnyPanel[] | Promise<readonly AnyPanel[]>;

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });
const option = (text: string) => ({ label: text, says: text, value: text });
const share = { count: 1, tokens: 1 };

/** By the function that makes it, as `panelsThereAre` names it. */
export const hostilePanels: Readonly<Record<string, (text: string) => Made>> = {
  choice: (text) => [choice({ title: text, options: [option(text), option(text)] })],
  modelPanel: (text) => [
    modelPanel({ rows: [{ name: text, facts: null, isLocal: true }], speaking: text, more: async () => [] }),
  ],
  settingsPage: (text) => [
    settingsPage({ listed: [{ name: text, value: text, words: text, source: text, says: text }] }),
    settingsPage({ listed: [{ name: "a", value: { [text]: [text] }, source: text, says: text }] }),
  ],
  withTyping: (text) => [
    withTyping(confirmPanel(text, text)),
    withTyping(confirmPanel(text, text), { isTyping: true }),
  ],
  fewPanel: (text) => [fewPanel(text, [text, text])],
  manyPanel: (text) => [manyPanel(text, [text, text])],
  confirmPanel: (text) => [confirmPanel(text, text)],
  inputPanel: (text) => [inputPanel(text, text)],
  askBeforeSwitch: () => [askBeforeSwitch({ tokens: 1, seconds: 1 })],
  askBefore: () => [askBefore({ tokens: 1, limit: 1, keeps: 1, seconds: 1, mayWait: true })],
  autoChoice: () => [autoChoice(budget)],
  contextPage: (text) => [
    contextPage({
      report: contextReport(loadBranch(hostileEntries(text)), budget),
      meter,
      next: ["words of ours"],
      entryText: () => text,
    }),
  ],
  preview: (text) => [
    preview(
      { tokens: { before: 2, after: 1 }, dropped: share, kept: share, words: share, pins: 1, by: text, price: 1 },
      text,
    ),
  ],
  pager: (text) => [pager({ title: text, lines: (width) => pageLines(text, width) })],
  seenPage: (text) => [
    seenPage(seenParts(loadBranch(hostileEntries(text)), undefined), { tokens: 1, isEstimate: true }),
    seenPage([{ place: "pins", who: text, text }], { tokens: 1, isEstimate: true }),
  ],
  diffPanel: (text) => [
    diffPanel([
      { path: text, kind: "changed", patch: `@@\n+${text}\n-${text}\n ${text}`, added: 1, removed: 1, notes: [text] },
    ]),
  ],
  questionPanel: questions,
  textPage: (text) => [textPage({ title: text, lines: () => [], options: [option(text)] })],
  trustPage: (text) => [trustPage(text)],
  sessionsPanel: (text) => [sessionsPanel(sessionsOf(text))],
  transcriptPanel: (text) => [transcriptPanel(transcriptOf(text))],
  filesPanel: (text) => [
    filesPanel({
      files: verdicts.map((type) => planned(text, type)),
      folder: "/work",
      diff: async () => `+${text}\n-${text}`,
    }),
  ],
  leaveQuestion: () => [leaveQuestion({ count: 2, canFork: true, canTell: true })],
  oneLinePanel: (text) => [oneLinePanel({ title: text, hints: [text, text] })],
  treePanel: trees,
  pick: (text) => [pick({ title: text, rows: [option(text)], also: { a: "words of ours" } })],
  secretLine: (text) => [secretLine({ title: text, says: text, fault: text })],
};

/** Made within a function that shows it: drawn by `whileWaiting` alone, with words of ours. */
export const notByItself: readonly string[] = ["waiting"];

const meter: Meter = {
  ...{ tokens: 1, isEstimate: false, contextWindow: 10, limit: 8, soft: 6, isAutomatic: true, held: null },
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
  return matters.map((matter) => questionPanel({ question, matter }));
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
  return { path, type, expectedHash: null, targetHash: null, currentHash: null, hasForeignChanges: true };
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
