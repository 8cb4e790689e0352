/** Golden screens of sessions and transcripts. */

import type { SessionItem } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { describePendingWork } from "../../../../src/modes/interactive/begin-session.ts";
import { createChoicePanel } from "../../../../src/modes/interactive/panels/choice.ts";
import { createSessionsPanel } from "../../../../src/modes/interactive/panels/sessions/panel.ts";
import type { SessionPreview, SessionSource } from "../../../../src/modes/interactive/panels/sessions/state.ts";
import type { TranscriptSource } from "../../../../src/modes/interactive/panels/transcript/state.ts";
import { createTranscriptPanel } from "../../../../src/modes/interactive/panels/transcript/transcript.ts";
import { buildRecentHistory } from "../../../../src/modes/interactive/recent-history.ts";
import type { Block } from "../../../../src/modes/interactive/state/blocks.ts";
import { updateSpacing } from "../../../../src/modes/interactive/state/finished-blocks.ts";
import { golden, NOW, type TestScreen } from "./golden.ts";

const HOUR = 3_600_000;
const [DOWN, UP, TAB, CTRL_D, ENTER] = ["\x1b[B", "\x1b[A", "\t", "\x04", "\r"] as const;

function item(at: number, firstMessage: string, more: Partial<SessionItem> = {}): SessionItem {
  const modified = NOW - at * at * HOUR - 60_000 * 3;
  const path = `/home/ada/.pith/sessions/app/${at}.jsonl`;
  const id = `0198c0${at}0-aaaa-7000-8000-00000000000${at}`;
  return { path, id, cwd: "/home/ada/app", created: "", modified, size: 40_000 * (at + 1) ** 2, firstMessage, ...more };
}

const items: readonly SessionItem[] = [
  item(0, "why does the login test fail on Mondays?", { name: "the login bug" }),
  item(1, "ship the importer before the release, and tell me what it cannot read yet"),
  item(2, "look at src/parse.ts and say what is slow", { cwd: "/home/ada/compiler" }),
  item(3, "", { damaged: "this is no session, or its header is lost; open it to see what can be saved" }),
  item(5, "rename the settings and keep the old names working", { name: "settings, second try" }),
  item(9, "日本語のエラーメッセージを直してください"),
];

const about: SessionPreview = {
  gist: "Ship the importer before the release. Next: write the tests for broken rows.",
  model: "claude-sonnet-4-5",
  isForeign: false,
  lastPrompt: "go on with the tests",
  lastReply:
    "Three tests are written and pass. The fourth needs a file with a broken row, which I take from the examples.",
  entries: 212,
  cost: 1.84,
  branches: 3,
};

const source: SessionSource = {
  context: { cwd: "/home/ada/app", currentPath: items[0]?.path ?? null, userHome: "/home/ada", now: () => NOW },
  list: async (learn) =>
    learn((state) => ({ ...state, items, isComplete: true, previews: new Map([[items[1]?.path ?? "", about]]) })),
  readPreviews: async () => (state) => state,
  search: async (query) => (state) => ({
    ...state,
    searchResult: {
      query,
      pending: null,
      hits: [
        {
          path: items[2]?.path ?? "",
          snippet: {
            text: "…the tests for broken rows read the whole file twice, so that parse.ts is slow…",
            marks: [[5, 10]],
          },
        },
      ],
    },
  }),
  rename: async () => (state) => state,
  trash: async () => (state) => state,
};

async function page({ screen, terminal }: TestScreen, ...keys: readonly string[]): Promise<void> {
  void screen.showPanel(createSessionsPanel(source), { where: "page" });
  await soon();
  for (const key of keys) {
    terminal.press(key);
    await soon();
  }
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

golden("the session page of this folder", (shown) => page(shown, DOWN), "sessions");
golden("the session page with a search in all folders", (shown) => page(shown, TAB, ..."test"));
golden("the session page before a session is deleted", (shown) => page(shown, TAB, DOWN, DOWN, CTRL_D));

const blocks: readonly Block[] = [
  { kind: "user", id: "1", text: "why does the login test fail on Mondays?", images: [] },
  {
    ...{ kind: "tool", id: "2", tool: "bash", arguments: { command: "npm test" }, state: "done", images: [] },
    output: Array.from({ length: 12 }, (_, at) => `ok ${at + 1} login keeps its promise number ${at + 1}`).join("\n"),
  },
  {
    kind: "assistant",
    id: "3",
    text: "It asks for the **day of the week**, and on Mondays:\n\n- the cache is empty\n- the clock of the test stands at midnight",
    isOpen: false,
    printed: 0,
  },
  { kind: "user", id: "4", text: "then fix the clock", images: [] },
  { kind: "assistant", id: "5", text: "Done: the test brings its own clock.", isOpen: false, printed: 0 },
];

const transcript: TranscriptSource = {
  title: "the login bug",
  readPage: async () => updateSpacing(blocks, null),
  loadPages: async (tell) =>
    tell({
      refs: [{ lastEntryId: "5", entryCount: 7 }],
      pages: [updateSpacing(blocks, null)],
      isLast: true,
    }),
};

async function transcriptPage({ screen, terminal }: TestScreen, ...keys: readonly string[]): Promise<void> {
  void screen.showPanel(createTranscriptPanel(transcript), { where: "page" });
  await soon();
  for (const key of keys) {
    terminal.press(key);
    await soon();
  }
}

golden("a transcript at its end", (shown) => transcriptPage(shown));
golden("a transcript with an expanded entry", (shown) => transcriptPage(shown, UP, UP, UP, ENTER));
golden("a transcript with a search without a match", (shown) => transcriptPage(shown, "/", ..."giraffe", ENTER));

golden("a session whose run was interrupted", ({ screen }) => {
  const past = buildRecentHistory(
    story("user: why does it fail?", "says: let me look", "user: run the tests", "calls: bash"),
  );
  const note = { kind: "note", id: "n", tone: "plain", text: "the login bug", isDivider: true } as const;
  screen.update((state) => ({ ...state, blocks: [note, ...past.blocks] }));
  const call = { type: "toolCall", id: "c", name: "bash", arguments: {} } as const;
  const left = describePendingWork(
    { type: "results", calls: [{ call, replyId: "a", resultId: "r", mayHaveStarted: false }] },
    0,
  );
  const options = [
    { key: "y", label: "Continue", description: "from where it stopped", value: true, isLasting: true as const },
    { key: "n", label: "Not now", description: "wait for your next message", value: false },
  ];
  void screen.showPanel(createChoicePanel({ title: `This session was interrupted: ${left}.`, options }), {
    where: "inline",
  });
});
