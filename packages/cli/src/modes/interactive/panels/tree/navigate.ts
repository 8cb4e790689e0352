/** Moves to another entry of the tree: asks about the abandoned branch and its changed files, then navigates and shows the result. */

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
import { isEditableMessage, MOVE_TYPE } from "@pith/context/host";
import type { UserShellApp } from "../../../../app/user-shell.ts";
import type { CommandResult } from "../../../../commands/command.ts";
import { forkAtEntry } from "../../../../commands/fork.ts";
import { describeRestoredFiles, reportMove } from "../../../../commands/tree.ts";
import { entryEditableText } from "../../../../resources/attachments.ts";
import { isVisibleEntry } from "../../../../sessions/tree-outline.ts";
import { clearActivity, stop } from "../../interrupt.ts";
import { showRecentHistory } from "../../recent-history.ts";
import type { InteractiveContext, ScreenApi, SessionScreen } from "../../screen-context.ts";
import { showResult } from "../../send.ts";
import { createChoicePanel } from "../choice.ts";
import {
  createFilesPanel,
  createLeaveQuestion,
  createLinePanel,
  isRestorable,
  type LeaveAction,
  shortenPath,
} from "./questions.ts";

/** If `target` is a message, its text and the names of its attachments are put into the editor. */
export async function showNavigateResult(
  navigation: NavigateResult,
  target: Entry,
  context: SessionScreen<"agent" | "home">,
): Promise<void> {
  const { app, screen } = context;
  const { session } = app.agent;
  const result = session.redact(reportMove(navigation, session));
  if (navigation.type !== "moved")
    return screen.showNote(session.redact(describeNavigateResult(result, navigation)), resultTone(result));
  const summaryId = navigation.summary?.id;
  // The recent history shows the branch summary where it belongs, after the messages before it.
  screen.update((state) => ({ ...state, blocks: state.blocks.filter((block) => block.id !== summaryId) }));
  await showRecentHistory(context);
  if (navigation.files)
    screen.showNote(session.redact(describeRestoredFiles(navigation.files).join("; ")), restoreTone(navigation.files));
  const hasEditorText = (navigation.editorText ?? "").trim() !== "";
  fillEditor(hasEditorText ? session.redact(entryEditableText(target)) : findDraft(session.branch), screen);
}

/** The text that was in the editor is added to the input history, so that it is not lost. */
function fillEditor(text: string | null, screen: ScreenApi): void {
  if (text === null || text.trim() === "") return;
  const currentText = screen.editorText.text.trim();
  if (currentText !== "" && currentText !== text.trim()) {
    screen.editor?.addToHistory(currentText);
    screen.showNote("Your unsent text is in the input history: clear the editor and press ↑ to restore it.");
  }
  screen.editorText.set(text);
}

function describeNavigateResult(result: CommandResult, navigation: NavigateResult): string {
  if (navigation.type === "failed" && navigation.why === "summary") {
    const reasons = navigation.failures.map(({ note }) => note).join("; ");
    return `The branch could not be summarized, so your position has not changed (${reasons}). To go there without a summary, run /tree again.`;
  }
  if (navigation.type === "files-in-the-way")
    return `Your position has not changed: ${navigation.files.map(({ path }) => path).join(", ")} changed just now. Run /tree again to see what can be restored.`;
  if (result.type === "success" || result.type === "draft") return result.text;
  return result.type === "failed" || result.type === "mistake" ? result.message : "";
}

/** `bad` if any file could not be restored. */
function restoreTone(files: RewindResult): "good" | "bad" {
  return files.type === "refused" || files.files.some(({ type }) => type === "failed" || type === "skipped")
    ? "bad"
    : "good";
}

function resultTone({ type }: CommandResult): "plain" | "bad" {
  return type === "failed" || type === "mistake" ? "bad" : "plain";
}

async function buildRestoreDiff(
  file: PlannedFile,
  { files, originals, checkPermission }: RewindOptions,
  folder: string,
): Promise<string> {
  const { path, targetHash, type } = file;
  if (type === "lost") return "Its earlier content is no longer stored.";
  const permission = await checkPermission(files.resolve(path));
  if (permission.type === "refused") return `Not restored: ${permission.why}.`;
  const currentFile = await files.read(path, { realPath: permission.realPath });
  if (currentFile.type !== "read" && currentFile.type !== "missing") return "The file cannot be read.";
  const currentText = currentFile.type === "read" ? decodeFileText(currentFile.bytes) : "";
  const original = targetHash === null ? null : await originals.read(targetHash);
  const targetText = original ? decodeFileText(original) : "";
  if (currentText === null || targetText === null) return "The file is not text.";
  const splices = [{ start: 0, end: currentText.length, text: targetText }];
  const fullDiff = await unifiedDiff({ path: shortenPath(path, folder), text: currentText, splices });
  // The path is already shown above the diff.
  const diff = fullDiff.replace(/^--- .*\n\+\+\+ .*\n/, "");
  if (type !== "conflict") return diff;
  return `The file was changed outside this session, so it is not overwritten. A restore would make these changes:\n${diff}`;
}

/** Null if the file is not text. */
function decodeFileText(bytes: Uint8Array): string | null {
  return bytes.includes(0) ? null : new TextDecoder().decode(bytes);
}

export interface AbandonedEntries {
  /** The number of visible entries, including those that a compaction covers. */
  readonly count: number;
  /** Whether the branch was too long to count them all. */
  readonly hasMore: boolean;
  /** Whether the target is the current position. */
  readonly isCurrent: boolean;
}

/** Counts back from the leaf, and stops in a very long branch, so that the question appears without delay. */
export async function countAbandonedEntries(
  target: Entry,
  { store, leaf, branch }: Session,
): Promise<AbandonedEntries> {
  const newLeaf = isEditableMessage(target) ? target.parentId : target.id;
  const ancestor = await store.commonAncestor(leaf, newLeaf);
  const loadedEntries = new Map(branch.entries.map((entry) => [entry.id, entry]));
  let [id, count, isUnchanged] = [leaf, 0, true];
  for (let read = 0; id !== null && id !== ancestor && read < MAX_COUNTED_ENTRIES; read++) {
    const entry = loadedEntries.get(id) ?? (await store.entry(id));
    if (!entry) break;
    if (isVisibleEntry(entry)) count += 1;
    isUnchanged &&= isBookkeeping(entry);
    id = entry.parentId;
  }
  const isCurrent = !isEditableMessage(target) && ancestor === newLeaf && isUnchanged;
  return { count, hasMore: id !== ancestor, isCurrent };
}

const MAX_COUNTED_ENTRIES = 5_000;

/** Entries that are not part of the conversation. After one of them, the position is still the entry before it. */
function isBookkeeping(entry: Entry): boolean {
  if (entry.type === "custom") return entry.customType === MOVE_TYPE;
  return entry.type === "label" || entry.type === "session_info" || entry.type === "usage";
}

/** `cancelled`: the user changed their mind, so the tree page opens again. */
export type NavigateOutcome = "done" | "cancelled";

export async function navigateTo(id: string, context: InteractiveContext): Promise<NavigateOutcome> {
  const { agent } = context.app;
  const entry = await agent.session.store.entry(id);
  if (!entry) return finishWithNote("This entry is no longer in the session.", context.screen);
  if (!(await ensureIdle(context))) return "cancelled";
  const abandonedEntries = await countAbandonedEntries(entry, agent.session);
  if (abandonedEntries.isCurrent) return finishWithNote("You are already there.", context.screen);
  const leaveChoice = await askHowToLeave(abandonedEntries, context);
  if (leaveChoice === null) return "cancelled";
  if (leaveChoice.action === "fork") return await forkFrom(entry, context);
  const restoreFiles = await askFilesToRestore(id, context);
  if (restoreFiles === null) return "cancelled";
  const navigateOptions = { ...leaveChoice.options, restoreFiles };
  try {
    await showNavigateResult(await navigateWithProgress(id, navigateOptions, context), entry, context);
  } finally {
    clearActivity(context);
  }
  return "done";
}

/** Opens a new session that starts from the entry. The run of the current session is stopped first. */
export async function forkFrom(entry: Entry, context: InteractiveContext): Promise<NavigateOutcome> {
  if (!(await ensureIdle(context))) return "cancelled";
  await showResult(await forkAtEntry(entry, context.app), context);
  return "done";
}

export function finishWithNote(text: string, screen: ScreenApi): NavigateOutcome {
  screen.showNote(text);
  return "done";
}

/** B80: a run must be stopped first, if the user agrees. */
export async function ensureIdle(context: SessionScreen<keyof UserShellApp>): Promise<boolean> {
  const { app, screen } = context;
  const { agent } = app;
  if (!agent.isRunning && agent.session.busyReasons.length === 0) return true;
  const shouldStop = await screen.showPanel(
    createChoicePanel({
      title: "Pith is still working. Stop it and go there?",
      options: [
        { key: "n", label: "No, keep working", description: "stay here", value: false },
        { key: "y", label: "Yes, stop and go", description: "work done so far is kept", value: true },
      ],
    }),
    { where: "inline", question: "follow-up" },
  );
  if (!shouldStop) return false;
  stop(context);
  await agent.abort();
  return true;
}

interface LeaveChoice {
  readonly action: LeaveAction;
  readonly options: Pick<NavigateOptions, "summarize" | "customInstructions">;
}

/** Null if the user stays. */
async function askHowToLeave(
  { count, hasMore }: AbandonedEntries,
  { app, screen }: SessionScreen<"settings" | "missingModel" | "sessionPath">,
): Promise<LeaveChoice | null> {
  if (count === 0 || app.settings.branchSummary?.skipPrompt) return { action: "go", options: {} };
  const canSummarize = app.missingModel === null;
  const question = createLeaveQuestion({ count, hasMore, canFork: app.sessionPath !== null, canSummarize });
  for (;;) {
    const action = await screen.showPanel(question, { where: "inline", question: "follow-up" });
    if (action === null || action === "go" || action === "fork") return action && { action, options: {} };
    if (action === "summarize") return { action, options: { summarize: true } };
    const focus = await screen.showPanel(createLinePanel(FOCUS_QUESTION), { where: "inline" });
    if (focus === null) continue;
    return { action, options: { summarize: true, ...(focus !== "" && { customInstructions: focus }) } };
  }
}

const FOCUS_QUESTION = { title: "What should the summary focus on?", hints: ["Enter summarize and go", "Esc back"] };

/** Returns the paths of the files to restore. Null if the user stays. */
async function askFilesToRestore(
  id: string,
  { app, screen }: SessionScreen<"agent" | "rewind" | "cwd">,
): Promise<readonly string[] | null> {
  const { agent, rewind } = app;
  const files: readonly PlannedFile[] = (await agent.previewFileRestore(id)).filter(({ type }) => type !== "same");
  if (!rewind || files.length === 0) return [];
  const folder = app.cwd;
  const diff = async (file: PlannedFile) => agent.session.redact(await buildRestoreDiff(file, rewind, folder));
  const answer = await screen.showPanel(createFilesPanel({ files, folder, diff }), {
    where: "page",
    question: "follow-up",
  });
  if (answer === null) return null;
  return answer === "skip" ? [] : files.filter(isRestorable).map(({ path }) => path);
}

export async function navigateWithProgress(
  id: string,
  options: NavigateOptions,
  { app: { agent }, screen }: SessionScreen,
): Promise<NavigateResult> {
  if (options.summarize) {
    const work = { type: "summarizing", startedAt: Date.now(), step: "" } as const;
    screen.update((state) => ({ ...state, activity: work }));
  }
  return await agent.navigateTree(id, options);
}
