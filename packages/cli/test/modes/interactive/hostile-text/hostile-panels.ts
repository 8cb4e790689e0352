/** Opens every panel with one text wherever text from outside can be. */

import type { PlannedFile } from "@pith/agent";
import { compactionLimits, createBudget } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import { loadBranch } from "@pith/context/store";
import { buildModelView } from "../../../../src/context-report/model-view.ts";
import { buildContextReport } from "../../../../src/context-report/report.ts";
import { createSecretInput } from "../../../../src/modes/interactive/onboarding/questions.ts";
import {
  createAutoCompactPanel,
  createCompactionPanel,
  createSwitchPanel,
} from "../../../../src/modes/interactive/panels/auto-compact.ts";
import { createChoicePanel, createPickPanel } from "../../../../src/modes/interactive/panels/choice.ts";
import { createPreviewPanel } from "../../../../src/modes/interactive/panels/compaction.ts";
import { createContextPage, createSeenPage } from "../../../../src/modes/interactive/panels/context.ts";
import { createDiffPanel } from "../../../../src/modes/interactive/panels/diff.ts";
import {
  createConfirmPanel,
  createInputPanel,
  createSearchPanel,
  createSelectPanel,
} from "../../../../src/modes/interactive/panels/extension-prompts.ts";
import { createModelPanel } from "../../../../src/modes/interactive/panels/model.ts";
import { createPager, createTextPage, wrapPageLines } from "../../../../src/modes/interactive/panels/pager.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createPermissionPanel, createTrustPage } from "../../../../src/modes/interactive/panels/permission.ts";
import { createRulesPage, type RulesPageOptions } from "../../../../src/modes/interactive/panels/rules.ts";
import { createSessionsPanel } from "../../../../src/modes/interactive/panels/sessions/panel.ts";
import { createSettingsPage } from "../../../../src/modes/interactive/panels/settings.ts";
import { createTranscriptPanel } from "../../../../src/modes/interactive/panels/transcript/transcript.ts";
import { createCompactQuestion } from "../../../../src/modes/interactive/panels/tree/compact.ts";
import { forkPage, treePage } from "../../../../src/modes/interactive/panels/tree/open.ts";
import { createTreePanel } from "../../../../src/modes/interactive/panels/tree/panel.ts";
import {
  createFilesPanel,
  createLeaveQuestion,
  createLinePanel,
} from "../../../../src/modes/interactive/panels/tree/questions.ts";
import { withTyping } from "../../../../src/modes/interactive/panels/typing.ts";
import type { ContextMeter } from "../../../../src/modes/interactive/state/footer.ts";
import { readOutline } from "../../../../src/sessions/read-outline.ts";
import { NOW } from "../../../support/test-screen.ts";
import { blocksOf, hostileEntries, hostileStore } from "./hostile-content.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a panel knows is its own affair.
export type AnyPanel = Panel<any, any>;

type Made = readonly AnyPanel[] | Promise<readonly AnyPanel[]>;

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });
const option = (text: string) => ({ label: text, description: text, value: text });
const share = { count: 1, tokens: 1 };

/** By the function that makes it, as `panelsThereAre` names it. */
export const hostilePanels: Readonly<Record<string, (text: string) => Made>> = {
  createChoicePanel: (text) => [createChoicePanel({ title: text, options: [option(text), option(text)] })],
  createModelPanel: (text) => [
    createModelPanel({
      rows: [{ name: text, facts: null, isLocal: true }],
      currentModel: text,
      loadMore: async () => [],
    }),
  ],
  createSettingsPage: (text) => [
    createSettingsPage({ settings: [{ name: text, value: text, valueText: text, source: text, description: text }] }),
    createSettingsPage({ settings: [{ name: "a", value: { [text]: [text] }, source: text, description: text }] }),
  ],
  withTyping: (text) => [
    withTyping(createConfirmPanel(text, text)),
    withTyping(createConfirmPanel(text, text), { isTyping: true }),
  ],
  createSelectPanel: (text) => [createSelectPanel(text, [text, text])],
  createSearchPanel: (text) => [createSearchPanel(text, [text, text])],
  createConfirmPanel: (text) => [createConfirmPanel(text, text)],
  createInputPanel: (text) => [createInputPanel(text, text)],
  createSwitchPanel: () => [createSwitchPanel({ tokens: 1, seconds: 1 })],
  createCompactionPanel: () => [
    createCompactionPanel({ tokens: 1, limit: 1, keptTokens: 1, seconds: 1, contextWindow: 1 }),
  ],
  createAutoCompactPanel: () => [createAutoCompactPanel(budget)],
  createContextPage: (text) => [
    createContextPage({
      report: buildContextReport(loadBranch(hostileEntries(text)), budget),
      meter,
      nextSteps: ["words of ours"],
      entryText: () => text,
    }),
  ],
  createPreviewPanel: (text) => [
    createPreviewPanel(
      {
        tokens: { before: 2, after: 1 },
        dropped: share,
        kept: share,
        userMessages: { staying: 1, leaving: 1, tokens: 1 },
        pins: 1,
        lostPins: 0,
        summarizer: text,
        costUsd: 1,
      },
      { title: text, focus: text, notes: [text] },
    ),
  ],
  createPager: (text) => [createPager({ title: text, lines: (width) => wrapPageLines(text, width) })],
  createRulesPage: (text) => [createRulesPage(rulesOf(text))],
  createSeenPage: (text) => [
    createSeenPage(buildModelView(loadBranch(hostileEntries(text)), undefined), { tokens: 1, isEstimate: true }),
    createSeenPage([{ place: "pins", who: text, text }], { tokens: 1, isEstimate: true }),
  ],
  createDiffPanel: (text) => [
    createDiffPanel([
      { path: text, kind: "changed", patch: `@@\n+${text}\n-${text}\n ${text}`, added: 1, removed: 1, notes: [text] },
    ]),
  ],
  createPermissionPanel: questions,
  createTextPage: (text) => [createTextPage({ title: text, lines: () => [], options: [option(text)] })],
  createTrustPage: (text) => [createTrustPage(text)],
  createSessionsPanel: (text) => [createSessionsPanel(sessionsOf(text))],
  createTranscriptPanel: (text) => [createTranscriptPanel(transcriptOf(text))],
  createFilesPanel: (text) => [
    createFilesPanel({
      files: verdicts.map((type) => planned(text, type)),
      folder: "/work",
      diff: async () => `+${text}\n-${text}`,
    }),
  ],
  createCompactQuestion: (text) => [
    createCompactQuestion({
      reference: text,
      replaced: { type: "mistake", message: text },
      plan: { type: "invalid-cut", why: "nothing-before", note: text },
      isCompacted: true,
    }),
  ],
  createLeaveQuestion: () => [createLeaveQuestion({ count: 2, canFork: true, canSummarize: true })],
  createLinePanel: (text) => [createLinePanel({ title: text, hints: [text, text] })],
  createTreePanel: trees,
  createPickPanel: (text) => [
    createPickPanel({ title: text, rows: [option(text)], extraKeys: { a: "words of ours" } }),
  ],
  createSecretInput: (text) => [createSecretInput({ title: text, description: text, error: text })],
};

/** Made within a function that shows it: drawn by `whileWaiting` alone, with words of ours. */
export const notByItself: readonly string[] = ["createWaitingPanel", "notifyOnClose"];

const meter: ContextMeter = {
  ...{
    tokens: 1,
    isEstimate: false,
    contextWindow: 10,
    limit: 8,
    softLimit: 6,
    isAutoCompactEnabled: true,
    pauseReason: null,
    isSummaryReady: false,
  },
  parts: { system: 1, pins: 0, userMessages: 0, summary: 0, kept: 0, recent: 0 },
};

function questions(text: string): Made {
  const matters = [
    { kind: "change", path: text, isNew: false, diff: `@@ -1 +1 @@\n-${text}\n+${text}` },
    { kind: "command", command: text },
    { kind: "address", url: text },
    { kind: "other", text },
  ] as const;
  const question = { tool: text, intent: null, arguments: { [text]: text }, text, rules: [] };
  return matters.map((matter) => createPermissionPanel({ question, subject: matter }));
}

function rulesOf(text: string): RulesPageOptions {
  const message = { reference: text, text };
  const rules = {
    pins: [{ id: text, text, reference: text }],
    carriedLines: [{ text, references: [text, text] }],
    messages: [message],
    stubs: [{ reference: text, line: text, offers: 0, isEdited: false }],
    hidden: { count: 1, first: text, last: text, messages: [] },
  };
  return {
    rules,
    readHidden: async () => [message],
    readMessage: async () => text,
    pin: async () => ({ notice: text, rules }),
  };
}

function sessionsOf(text: string): Parameters<typeof createSessionsPanel>[0] {
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
  const about = { gist: text, model: text, isForeign: true, lastPrompt: text, lastReply: text };
  const found = { query: "a", hits: [{ path: text, snippet: { text, marks: [] } }], pending: text };
  return {
    context: { cwd: text, currentPath: null, userHome: "/home/u", now: () => NOW },
    list: async (learn) =>
      learn((state) => ({ ...state, items, isComplete: true, scope: "all", indexProgress: text, note: text })),
    readPreviews: async () => (state) => ({ ...state, previews: new Map([[text, about]]) }),
    search: async () => (state) => ({ ...state, searchResult: found }),
    rename: async () => (state) => ({ ...state, note: text }),
    trash: async () => (state) => ({ ...state, note: text }),
  };
}

function transcriptOf(text: string): Parameters<typeof createTranscriptPanel>[0] {
  const blocks = blocksOf(text).map((block, at) => ({ ...block, id: `b${at}` }));
  const mark = { lastEntryId: "e1", entryCount: blocks.length };
  return {
    title: text,
    loadPages: async (tell) => tell({ refs: [mark], pages: [blocks], isLast: true }),
    readPage: async () => blocks,
  };
}

const verdicts = ["restore", "remove", "same", "conflict", "lost"] as const;

function planned(path: string, type: PlannedFile["type"]): PlannedFile {
  return { path, type, expectedHash: null, targetHash: null, currentHash: null, hasForeignChanges: true };
}

async function trees(text: string): Promise<readonly AnyPanel[]> {
  const store = await hostileStore(text);
  const leaf = await store.leaf();
  return [treePage, forkPage].map((look) =>
    createTreePanel({
      ...look,
      ...{ title: text, leaf, now: () => NOW },
      readEntry: async (id) => (await store.entry(id)) ?? undefined,
      readOutline: (signal) => readOutline({ store, leaf, signal }),
      saveLabel: async () => text,
    }),
  );
}
