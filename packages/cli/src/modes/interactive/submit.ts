/** Submits typed input: opens the panel of a command, runs a command or a shell line, or sends a message. */

import type { UserContent } from "@pith/agent";
import { readAttachmentMark } from "@pith/context/host";
import type { App } from "../../app/start.ts";
import { getUserShell, type UserShell } from "../../app/user-shell.ts";
import { runCommand } from "../../commands/run-command.ts";
import type { HistoryLocation } from "./editor/editor.ts";
import { createTextMessage, type EditorMessage } from "./editor/message.ts";
import { clearActivity } from "./interrupt.ts";
import type { InteractiveContext, PanelCommand, ScreenApi, SessionScreen } from "./screen-context.ts";
import { resumeAfterShell, sendMessage, showResult } from "./send.ts";
import type { ShellBlock } from "./state/blocks.ts";

/** Screen commands by name, without the slash. Each is loaded on first use. */
export const panelCommands: Readonly<Record<string, () => Promise<PanelCommand>>> = {
  resume: async () => (await import("./panels/sessions/resume.ts")).runResume,
  new: async () => (await import("./panels/sessions/resume.ts")).runNew,
  clear: async () => (await import("./panels/sessions/resume.ts")).runNew,
  reload: async () => (await import("./panels/sessions/resume.ts")).runReload,
  transcript: async () => (await import("./panels/transcript/transcript.ts")).openTranscript,
  tree: async () => (await import("./panels/tree/open.ts")).openTree,
  fork: async () => (await import("./panels/tree/open.ts")).openFork,
  branch: async () => (await import("./panels/tree/open.ts")).openFork,
  mode: async () => (await import("./panels/permission-mode.ts")).openMode,
  model: async () => (await import("./panels/model.ts")).openModels,
  login: async () => (await import("./panels/login.ts")).openLogin,
  logout: async () => (await import("./panels/login.ts")).openLogout,
  thinking: async () => (await import("./panels/model.ts")).openThinking,
  settings: async () => (await import("./panels/settings.ts")).openSettings,
  compact: async () => (await import("./panels/compaction.ts")).openCompact,
  undo: async () => (await import("./panels/compaction.ts")).openUndo,
  redo: async () => (await import("./panels/compaction.ts")).openRedo,
  autocompact: async () => (await import("./panels/auto-compact.ts")).openAutocompact,
  context: async () => (await import("./panels/context.ts")).openContext,
  seen: async () => (await import("./panels/context.ts")).openSeen,
  rules: async () => (await import("./panels/rules.ts")).openRules,
  copy: async () => (await import("./editor/clipboard.ts")).runCopyCommand,
  diff: async () => (await import("./panels/diff.ts")).openDiff,
};

/** Commands that need no page: they open no panel, or ask questions that can also be plain lines. */
const COMMANDS_WITHOUT_PANEL: readonly string[] = ["copy", "new", "clear", "reload", "login", "logout"];

export async function submit(input: string | EditorMessage, context: InteractiveContext): Promise<void> {
  const message = typeof input === "string" ? createTextMessage(input) : input;
  const { text } = message;
  void saveToHistory(text, context.app);
  if (text.startsWith("!") && text.length > 1) return await runShellLine(text, context);
  if (await openPanelCommand(text, context)) return;
  const result = text.startsWith("/")
    ? await runCommand(text, context.app).finally(() => clearActivity(context))
    : null;
  if (result && result.type !== "prompt") return await showResult(result, context);
  if (typeof result?.content === "string")
    return await sendEditorMessage({ ...message, text: result.content }, context);
  // Files and images are also attached to the content of a template.
  await sendEditorMessage(
    result ? { ...message, template: withTypedText(result.content, message.typed) } : message,
    context,
  );
}

interface OutgoingMessage extends EditorMessage {
  /** The content of a template, which replaces the text. */
  readonly template?: Exclude<UserContent, string>;
}

/** Records the text of the editor as the typed text. It contains the marker of a paste, not the paste. */
function withTypedText(template: Exclude<UserContent, string>, typed: string): Exclude<UserContent, string> {
  return template.map((block) => {
    const mark = readAttachmentMark(block);
    return mark?.typed === undefined ? block : { ...block, pith: { attachment: { ...mark, typed: typed.trim() } } };
  });
}

async function openPanelCommand(text: string, context: InteractiveContext): Promise<boolean> {
  const [, name = "", args = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (!context.screen.hasPages && !COMMANDS_WITHOUT_PANEL.includes(name)) return false;
  const panelCommand = Object.hasOwn(panelCommands, name) ? await panelCommands[name]?.() : undefined;
  return (await panelCommand?.(args.trim(), context)) ?? false;
}

/** Saves the redacted text, if the session is saved. An error, such as a full disk, only loses this line of the history. */
async function saveToHistory(text: string, app: HistoryLocation & Pick<App, "agent" | "sessionPath">): Promise<void> {
  if (app.sessionPath === null) return;
  const { addToHistory } = await import("./editor/editor.ts");
  await addToHistory(app.agent.session.redact(text), app).catch(() => {});
}

/** Reading attached files takes time. A later message waits for it, so that messages are sent in order. */
async function sendEditorMessage(message: OutgoingMessage, context: InteractiveContext): Promise<void> {
  const { agent } = context.app;
  const previous = pendingReads.get(agent) ?? Promise.resolve();
  const read = previous.then(async () => {
    const { buildMessageContent } = await import("./editor/attachments.ts");
    return await buildMessageContent(message, context.app);
  });
  pendingReads.set(
    agent,
    read.catch(() => {}),
  );
  const result = await read;
  if (result.type === "content")
    return await sendMessage(result.content, context, message.isFollowUp ? "followUp" : "steer");
  context.screen.showNote(result.message, "bad");
  // Puts the text back into the editor, so that it is not lost.
  const { editorText } = context.screen;
  editorText.set([message.text, editorText.text].filter((text) => text !== "").join("\n\n"));
}

/** The last read for each agent. */
const pendingReads = new WeakMap<object, Promise<unknown>>();

/**
 * Runs a shell line. `!` shows the command and its output to the model, `!!` does not. The line is shown below the transcript until it
 * is in the log. When all shell lines are in the log, the messages queued meanwhile are sent.
 */
async function runShellLine(text: string, context: InteractiveContext): Promise<void> {
  const [, prefix = "!", command = ""] = /^(!!?)\s*([\s\S]*)$/.exec(text) ?? [];
  if (command === "") return context.screen.showNote(SHELL_USAGE);
  const userShell = getUserShell(context.app);
  const line = addShellLine({ command, isPrivate: prefix === "!!" }, context);
  const outcome = await startShellLine(userShell, { line, command }, context.screen).finally(() =>
    removeShellLine(line, context.screen),
  );
  if (outcome.type === "failed") context.screen.showNote(outcome.message, "bad");
  if (!userShell.isBusy()) await resumeAfterShell(context.app.agent, outcome);
}

const SHELL_USAGE =
  "Type a command after !, such as !git status. With !!, the model does not see the command or its output.";

interface StartedCommand {
  readonly line: ShellBlock;
  /** The command as typed. The block contains the redacted text. */
  readonly command: string;
}

function startShellLine(
  userShell: UserShell,
  { line, command }: StartedCommand,
  screen: ScreenApi,
): ReturnType<UserShell["start"]> {
  return userShell.start(command, {
    isPrivate: line.isPrivate,
    onUpdate: (output) => updateShellLine(line, { output }, screen),
    onFinished: ({ output, exitCode, isCancelled }) =>
      updateShellLine(line, { output, exitCode, isCancelled, isOpen: false }, screen),
    onRecording: () => removeShellLine(line, screen),
  });
}

type ShellLineInput = Pick<ShellBlock, "command" | "isPrivate">;

function addShellLine({ command, isPrivate }: ShellLineInput, { screen, app }: SessionScreen): ShellBlock {
  const redactedCommand = app.agent.session.redact(command);
  const initialState = { output: "", exitCode: null, isCancelled: false, isOpen: true } as const;
  const line: ShellBlock = {
    kind: "shell",
    id: `shell:${shellLineCount++}`,
    command: redactedCommand,
    isPrivate,
    ...initialState,
  };
  screen.update((state) => ({ ...state, pendingShellBlocks: [...state.pendingShellBlocks, line] }));
  return line;
}

/** Gives each block its own id. */
let shellLineCount = 0;

function removeShellLine({ id }: ShellBlock, screen: ScreenApi): void {
  screen.update((state) => ({
    ...state,
    pendingShellBlocks: state.pendingShellBlocks.filter((shellLine) => shellLine.id !== id),
  }));
}

function updateShellLine(line: ShellBlock, changes: Partial<ShellBlock>, screen: ScreenApi): void {
  const applyChanges = (shellLine: ShellBlock): ShellBlock =>
    shellLine.id === line.id ? { ...shellLine, ...changes } : shellLine;
  screen.update((state) => ({ ...state, pendingShellBlocks: state.pendingShellBlocks.map(applyChanges) }));
}
