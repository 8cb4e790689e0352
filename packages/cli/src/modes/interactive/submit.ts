/** Submits typed input: opens the panel of a command, runs a command or a shell line, or sends a message. */

import type { UserContent } from "@pith/agent";
import { readAttachmentMark } from "@pith/context/host";
import { type ShellLines, shellLinesOf } from "../../app/user-shell.ts";
import { runCommand } from "../../commands/run-command.ts";
import { justWords, type Written } from "./editor/message.ts";
import { shownAtRest } from "./interrupt.ts";
import type { Opener, Talking } from "./screen-context.ts";
import { hearBehind, say, show } from "./send.ts";
import type { ShellLine } from "./state/blocks.ts";

/** By the command's name, without its slash. Loaded when they are wanted. */
export const openers: Readonly<Record<string, () => Promise<Opener>>> = {
  resume: async () => (await import("./panels/sessions/resume.ts")).resume,
  new: async () => (await import("./panels/sessions/resume.ts")).beginNew,
  clear: async () => (await import("./panels/sessions/resume.ts")).beginNew,
  reload: async () => (await import("./panels/sessions/resume.ts")).reloadOnScreen,
  transcript: async () => (await import("./panels/transcript/transcript.ts")).openTranscript,
  tree: async () => (await import("./panels/tree/open.ts")).openTree,
  fork: async () => (await import("./panels/tree/open.ts")).openFork,
  branch: async () => (await import("./panels/tree/open.ts")).openFork,
  mode: async () => (await import("./panels/permission-mode.ts")).openMode,
  model: async () => (await import("./panels/model.ts")).openModels,
  thinking: async () => (await import("./panels/model.ts")).openThinking,
  settings: async () => (await import("./panels/settings.ts")).openSettings,
  compact: async () => (await import("./panels/compaction.ts")).openCompact,
  undo: async () => (await import("./panels/compaction.ts")).openUndo,
  redo: async () => (await import("./panels/compaction.ts")).openRedo,
  autocompact: async () => (await import("./panels/auto-compact.ts")).openAutocompact,
  context: async () => (await import("./panels/context.ts")).openContext,
  seen: async () => (await import("./panels/context.ts")).openSeen,
  copy: async () => (await import("./editor/clipboard.ts")).copyOnScreen,
  diff: async () => (await import("./panels/diff.ts")).diffOnScreen,
};

/** Those that open no panel, so that they are wanted without pages, too. */
export const wordless: readonly string[] = ["copy", "new", "clear", "reload"];

export async function submit(given: string | Written, talking: Talking): Promise<void> {
  const written = typeof given === "string" ? justWords(given) : given;
  const { text } = written;
  void remember(text, talking);
  if (text.startsWith("!") && text.length > 1) return await runShellLine(text, talking);
  if (await opened(text, talking)) return;
  const answer = text.startsWith("/") ? await runCommand(text, talking.desk).finally(() => shownAtRest(talking)) : null;
  if (answer && answer.type !== "prompt") return await show(answer, talking);
  if (typeof answer?.content === "string") return await sayWritten({ ...written, text: answer.content }, talking);
  // Files and pictures go with what a template says, too.
  await sayWritten(answer ? { ...written, template: asTyped(answer.content, written.typed) } : written, talking);
}

interface ToSend extends Written {
  /** What a template says, in the place of the text. */
  readonly template?: Exclude<UserContent, string>;
}

/** The user typed what stood in the editor: of a paste, its marker. */
function asTyped(template: Exclude<UserContent, string>, typed: string): Exclude<UserContent, string> {
  return template.map((block) => {
    const mark = readAttachmentMark(block);
    return mark?.typed === undefined ? block : { ...block, pith: { attachment: { ...mark, typed: typed.trim() } } };
  });
}

async function opened(text: string, talking: Talking): Promise<boolean> {
  const [, name = "", words = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (!talking.screen.hasPages && !wordless.includes(name)) return false;
  const opener = Object.hasOwn(openers, name) ? await openers[name]?.() : undefined;
  return (await opener?.(words.trim(), talking)) ?? false;
}

/** Without secrets, and only where anything is kept. A disk that is full costs the history a line, and nobody anything else. */
async function remember(text: string, { ready }: Talking): Promise<void> {
  if (ready.built.sessionPath === null) return;
  const { addToHistory } = await import("./editor/history.ts");
  await addToHistory(ready.built.agent.session.redact(text), ready.place).catch(() => {});
}

/** What reads files takes a while; what is sent off behind it waits, so that it is said behind it. */
async function sayWritten(written: ToSend, talking: Talking): Promise<void> {
  const { agent } = talking.ready.built;
  const before = reading.get(agent) ?? Promise.resolve();
  const read = before.then(async () => {
    const { wordsSaid } = await import("./editor/attachments.ts");
    return await wordsSaid(written, talking.ready.place);
  });
  reading.set(
    agent,
    read.catch(() => {}),
  );
  const said = await read;
  if (said.type === "said") return await say(said.content, talking, written.isForLater ? "afterwards" : "next");
  talking.screen.tell(said.message, "bad");
  // Nothing that was typed is lost.
  const { words } = talking.screen;
  words.set([written.text, words.text].filter((text) => text !== "").join("\n\n"));
}

/** What is being read, by whom it will be said to. */
const reading = new WeakMap<object, Promise<unknown>>();

/**
 * `!` shows the command and its output to the model, `!!` does not. Until it is in the log it is seen below; when all of them are, what
 * was said meanwhile is heard.
 */
export async function runShellLine(text: string, talking: Talking): Promise<void> {
  const [, marks = "!", command = ""] = /^(!!?)\s*([\s\S]*)$/.exec(text) ?? [];
  if (command === "") return talking.screen.tell(HOW);
  const lines = shellLinesOf(talking.ready);
  const line = shown({ command, isPrivate: marks === "!!" }, talking);
  const outcome = await ranOn(lines, { line, command }, talking).finally(() => gone(line, talking));
  if (outcome.type === "failed") talking.screen.tell(outcome.message, "bad");
  if (!lines.isBusy()) await hearBehind(talking, outcome);
}

const HOW = "behind ! goes a command, such as !git status; behind !! one that the model is not told";

interface Shown {
  readonly line: ShellLine;
  /** As it was typed. */
  readonly command: string;
}

function ranOn(lines: ShellLines, { line, command }: Shown, talking: Talking): ReturnType<ShellLines["start"]> {
  return lines.start(command, {
    isPrivate: line.isPrivate,
    update: (output) => changed(line, { output }, talking),
    ran: ({ output, exitCode, isCancelled }) =>
      changed(line, { output, exitCode, isCancelled, isOpen: false }, talking),
    keeping: () => gone(line, talking),
  });
}

type Kind = Pick<ShellLine, "command" | "isPrivate">;

function shown({ command, isPrivate }: Kind, { screen, ready }: Talking): ShellLine {
  const told = ready.built.agent.session.redact(command);
  const open = { output: "", exitCode: null, isCancelled: false, isOpen: true } as const;
  const line: ShellLine = { kind: "shell", id: `shell:${begun++}`, command: told, isPrivate, ...open };
  screen.change((state) => ({ ...state, shell: [...state.shell, line] }));
  return line;
}

/** So that each has an id of its own. */
let begun = 0;

function gone({ id }: ShellLine, { screen }: Talking): void {
  screen.change((state) => ({ ...state, shell: state.shell.filter((each) => each.id !== id) }));
}

function changed(line: ShellLine, change: Partial<ShellLine>, { screen }: Talking): void {
  const next = (each: ShellLine): ShellLine => (each.id === line.id ? { ...each, ...change } : each);
  screen.change((state) => ({ ...state, shell: state.shell.map(next) }));
}
