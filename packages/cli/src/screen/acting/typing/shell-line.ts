/** A shell line of the user's own on the screen: `!` is told to the model with its output, `!!` is not. */

import { type ShellLines, shellLinesOf } from "../../../shell-lines/shell-lines.ts";
import type { ShellLine } from "../../state/block.ts";
import { hearBehind } from "../say.ts";
import type { Talking } from "../talking.ts";

/** Until it is in the log it is seen below; when all of them are, what was said meanwhile is heard. */
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
  const told = ready.built.agent.session.redacted(command);
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
