/** Moves to another entry of the tree: asks about the branch left and its changed files, then navigates and shows the result. */

import {
  findDraft,
  type NavigateOptions,
  type NavigateResult,
  type PlannedFile,
  type RewindOptions,
  type RewindResult,
  unifiedDiff,
} from "@pith/agent";
import type { Entry, Session } from "@pith/context";
import { MOVE_TYPE } from "@pith/context/host";
import type { Answer } from "../../../../commands/command.ts";
import { forkedAt, isSaidAnew } from "../../../../commands/fork.ts";
import { filesTold, moveTold } from "../../../../commands/tree.ts";
import { entryEditableText } from "../../../../resources/attachments.ts";
import { isSeen } from "../../../../sessions/tree-outline.ts";
import { shownAtRest, stop } from "../../interrupt.ts";
import { past } from "../../recent-history.ts";
import type { Talking } from "../../screen-context.ts";
import { show } from "../../send.ts";
import { choice } from "../choice.ts";
import { filesPanel, isRestorable, type Leaving, leaveQuestion, oneLinePanel, pathShown } from "./questions.ts";

/** `to` is the entry that was gone to: of a message the words are put before the person, and the names of its files. */
export async function arrive(moved: NavigateResult, to: Entry, talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { session } = ready.built.agent;
  const answer = session.redact(moveTold(moved, session));
  if (moved.type !== "moved") return screen.tell(session.redact(sentenceOf(answer, moved)), toneOf(answer));
  const id = moved.summary?.id;
  // What was left is shown where it stands: behind the words before it.
  screen.change((state) => ({ ...state, blocks: state.blocks.filter((block) => block.id !== id) }));
  await past(talking);
  if (moved.files) screen.tell(session.redact(filesTold(moved.files).join("; ")), fateOf(moved.files));
  const isToSay = (moved.editorText ?? "").trim() !== "";
  putWords(isToSay ? session.redact(entryEditableText(to)) : findDraft(session.branch), talking);
}

/** What was typed before is not lost: it is the newest of what was said. */
function putWords(words: string | null, { screen }: Talking): void {
  if (words === null || words.trim() === "") return;
  const typed = screen.words.text.trim();
  if (typed !== "" && typed !== words.trim()) {
    screen.editor?.addToHistory(typed);
    screen.tell("what you had typed is one ↑ away, in an empty editor");
  }
  screen.words.set(words);
}

function sentenceOf(answer: Answer, moved: NavigateResult): string {
  if (moved.type === "failed" && moved.why === "summary") {
    const why = moved.failures.map(({ note }) => note).join("; ");
    return `What you would leave could not be summarised, so you stand where you stood: ${why}. /tree goes there without a summary, too.`;
  }
  if (moved.type === "files-in-the-way")
    return `You stand where you stood: ${moved.files.map(({ path }) => path).join(", ")} changed in this very moment. /tree once more shows what can be put back.`;
  if (answer.type === "told" || answer.type === "draft") return answer.text;
  return answer.type === "failed" || answer.type === "mistake" ? answer.message : "";
}

/** A file that could not be written is no good news, whatever became of the others. */
function fateOf(files: RewindResult): "good" | "bad" {
  return files.type === "refused" || files.files.some(({ type }) => type === "failed" || type === "skipped")
    ? "bad"
    : "good";
}

function toneOf({ type }: Answer): "plain" | "bad" {
  return type === "failed" || type === "mistake" ? "bad" : "plain";
}

export async function fileDiff(
  file: PlannedFile,
  { files, originals, checkPermission }: RewindOptions,
  folder: string,
): Promise<string> {
  const { path, targetHash, type } = file;
  if (type === "lost") return "What it was before is not kept any more.";
  const permit = await checkPermission(files.resolve(path));
  if (permit.type === "refused") return `It is not restored: ${permit.why}.`;
  const found = await files.read(path, { realPath: permit.realPath });
  if (found.type !== "read" && found.type !== "missing") return "It cannot be read.";
  const now = found.type === "read" ? textOf(found.bytes) : "";
  const kept = targetHash === null ? null : await originals.read(targetHash);
  const then = kept ? textOf(kept) : "";
  if (now === null || then === null) return "It is no text.";
  const splices = [{ start: 0, end: now.length, text: then }];
  const whole = unifiedDiff({ path: pathShown(path, folder), text: now, splices });
  // What it is called stands above it.
  const diff = whole.replace(/^--- .*\n\+\+\+ .*\n/, "");
  if (type !== "conflict") return diff;
  return `It is not as this session left it, so nobody writes over it. What differs from how it was there:\n${diff}`;
}

/** Null for what is no text. */
function textOf(bytes: Uint8Array): string | null {
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}

export interface LeftBehind {
  /** Entries that people see; of what a compaction covers none. */
  readonly count: number;
  /** One stands there already. */
  readonly isHere: boolean;
}

/** Counts only entries that are already loaded, so that the question appears without delay. */
export async function leftBehind(target: Entry, { store, leaf, branch: window }: Session): Promise<LeftBehind> {
  const place = isSaidAnew(target) ? target.parentId : target.id;
  const parting = await store.commonAncestor(leaf, place);
  const left = window.entries.slice(window.entries.findIndex(({ id }) => id === parting) + 1);
  const entries = parting === leaf ? [] : left;
  const isHere = !isSaidAnew(target) && parting === place && entries.every(isBeside);
  return { count: entries.filter(isSeen).length, isHere };
}

/** What is written beside a conversation: who stands behind it stands where it was written. */
function isBeside(entry: Entry): boolean {
  if (entry.type === "custom") return entry.customType === MOVE_TYPE;
  return entry.type === "label" || entry.type === "session_info" || entry.type === "usage";
}

/** `stayed`: whoever asked thought better of it. */
export type Gone = "gone" | "stayed";

export async function go(id: string, talking: Talking): Promise<Gone> {
  const { agent } = talking.ready.built;
  const entry = await agent.session.store.entry(id);
  if (!entry) return told("this entry is not in the session any more", talking);
  if (!(await isFree(talking))) return "stayed";
  const left = await leftBehind(entry, agent.session);
  if (left.isHere) return told("you stand there already", talking);
  const leaving = await askedHow(left.count, talking);
  if (leaving === null) return "stayed";
  if (leaving.how === "fork") return await fork(entry, talking);
  const restoreFiles = await askedFiles(id, talking);
  if (restoreFiles === null) return "stayed";
  const wish = { ...leaving.wish, restoreFiles };
  try {
    await arrive(await moving(id, wish, talking), entry, talking);
  } finally {
    shownAtRest(talking);
  }
  return "gone";
}

/** A new session; one stands in it from now on, and what was under way in this one has ended. */
export async function fork(entry: Entry, talking: Talking): Promise<Gone> {
  if (!(await isFree(talking))) return "stayed";
  await show(await forkedAt(entry, talking.desk), talking);
  return "gone";
}

function told(text: string, { screen }: Talking): Gone {
  screen.tell(text);
  return "gone";
}

/** B80: what is under way is stopped first, if that is wanted. */
async function isFree(talking: Talking): Promise<boolean> {
  const { ready, screen } = talking;
  const { agent } = ready.built;
  if (!agent.isRunning && agent.session.busyReasons.length === 0) return true;
  const stops = await screen.ask(
    choice({
      title: "Something is under way here; one can only go elsewhere when it has ended.",
      options: [
        { key: "n", label: "Let it go on", says: "you stay here", value: false },
        { key: "y", label: "Stop it, and go", says: "what was done so far stays", value: true },
      ],
    }),
    { where: "inline" },
  );
  if (!stops) return false;
  stop(talking);
  await agent.abort();
  return true;
}

interface Left {
  readonly how: Leaving;
  readonly wish: Pick<NavigateOptions, "summarize" | "customInstructions">;
}

/** Null where one stays. */
async function askedHow(count: number, { desk, ready, screen }: Talking): Promise<Left | null> {
  if (count === 0 || desk.choices.branchSummary?.skipPrompt) return { how: "just-go", wish: {} };
  const canTell = ready.built.missing === null;
  const question = leaveQuestion({ count, canFork: desk.sessionPath !== null, canTell });
  for (;;) {
    const how = await screen.ask(question, { where: "inline" });
    if (how === null || how === "just-go" || how === "fork") return how && { how, wish: {} };
    if (how === "tell") return { how, wish: { summarize: true } };
    const focus = await screen.ask(oneLinePanel(FOCUS), { where: "inline" });
    if (focus === null) continue;
    return { how, wish: { summarize: true, ...(focus !== "" && { customInstructions: focus }) } };
  }
}

const FOCUS = {
  title: "What should the summary look at?",
  hints: ["Enter goes there with a summary of this branch", "Esc goes back"],
};

/** Which files are put back, by their paths; null where one stays. */
async function askedFiles(id: string, { ready, screen }: Talking): Promise<readonly string[] | null> {
  const { agent, rewind } = ready.built;
  const files: readonly PlannedFile[] = (await agent.previewFileRestore(id)).filter(({ type }) => type !== "same");
  if (!rewind || files.length === 0) return [];
  const folder = ready.place.cwd;
  const diff = async (file: PlannedFile) => agent.session.redact(await fileDiff(file, rewind, folder));
  const answer = await screen.ask(filesPanel({ files, folder, diff }), { where: "page" });
  if (answer === null) return null;
  return answer === "leave" ? [] : files.filter(isRestorable).map(({ path }) => path);
}

async function moving(id: string, wish: NavigateOptions, { ready, screen }: Talking): Promise<NavigateResult> {
  const { agent } = ready.built;
  if (wish.summarize) {
    const work = { type: "summarising", since: Date.now(), step: "" } as const;
    screen.change((state) => ({ ...state, work }));
  }
  return await agent.navigateTree(id, wish);
}
