/** A shell line of the user's own: `!` is told to the model with its output, `!!` is not. */

import type { Appended, BashExecutionMessage, Session } from "@pith/context";
import { written } from "../../../commands/answers.ts";
import type { ShellLine } from "../../state/block.ts";
import { hearBehind } from "../say.ts";
import type { Talking } from "../talking.ts";
import { type ShellRan, shellRun } from "./shell-run.ts";

/** One after the other, as a shell runs them; then what was said meanwhile is heard. */
export async function runShellLine(text: string, talking: Talking): Promise<void> {
  const [, marks = "!", command = ""] = /^(!!?)\s*([\s\S]*)$/.exec(text) ?? [];
  if (command === "") return talking.screen.tell(HOW);
  const lines = linesOf(talking.ready.built.agent);
  const stop = new AbortController();
  const line = shown(`shell:${lines.begun++}`, { command, isPrivate: marks === "!!" }, talking);
  const ran = lines.last.then(() => run({ line, command, signal: stop.signal }, talking));
  lines.last = ran.catch(() => {});
  const ended = ran.then((came) => kept(came, { line, command }, talking)).finally(() => gone(line, talking));
  lines.open.set(stop, ended);
  await ended.finally(() => lines.open.delete(stop));
  if (lines.open.size === 0) await hearBehind(talking, { isStopped: stop.signal.aborted });
}

const HOW = "behind ! goes a command, such as !git status; behind !! one that the model is not told";

/** Ends those that run or wait; false where there are none. */
export function stopShellLines({ ready }: Talking): boolean {
  const { open } = linesOf(ready.built.agent);
  for (const stop of open.keys()) stop.abort();
  return open.size > 0;
}

/** When those that are under way are in the log. */
export async function shellLinesEnded({ ready }: Talking): Promise<void> {
  await Promise.allSettled(linesOf(ready.built.agent).open.values());
}

interface Lines {
  /** The newest of them has run. */
  last: Promise<unknown>;
  /** Those that are not in the log yet, by what stops each. */
  readonly open: Map<AbortController, Promise<void>>;
  begun: number;
}

const known = new WeakMap<object, Lines>();

function linesOf(agent: object): Lines {
  const lines: Lines = known.get(agent) ?? { last: Promise.resolve(), open: new Map(), begun: 0 };
  known.set(agent, lines);
  return lines;
}

type Kind = Pick<ShellLine, "command" | "isPrivate">;

function shown(id: string, { command, isPrivate }: Kind, { screen, ready }: Talking): ShellLine {
  const told = ready.built.agent.session.redacted(command);
  const open = { output: "", exitCode: null, isCancelled: false, isOpen: true } as const;
  const line: ShellLine = { kind: "shell", id, command: told, isPrivate, ...open };
  screen.change((state) => ({ ...state, shell: [...state.shell, line] }));
  return line;
}

function gone({ id }: ShellLine, { screen }: Talking): void {
  screen.change((state) => ({ ...state, shell: state.shell.filter((each) => each.id !== id) }));
}

function changed(line: ShellLine, change: Partial<ShellLine>, { screen }: Talking): void {
  const next = (each: ShellLine): ShellLine => (each.id === line.id ? { ...each, ...change } : each);
  screen.change((state) => ({ ...state, shell: state.shell.map(next) }));
}

interface Running {
  readonly line: ShellLine;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** Null where it was stopped before its turn came. */
async function run({ line, command, signal }: Running, talking: Talking): Promise<ShellRan | null> {
  const { built, place } = talking.ready;
  const update = (output: string): void => changed(line, { output }, talking);
  if (signal.aborted) return null;
  const ran = await shellRun(command, { ...place, sessionPath: built.sessionPath, signal, update });
  const { output, exitCode, isCancelled } = ran;
  changed(line, { output, exitCode, isCancelled, isOpen: false }, talking);
  return ran;
}

/** While a run is under way, it comes into the log between two requests; until then it is seen below. */
async function kept(ran: ShellRan | null, line: Omit<Running, "signal">, talking: Talking): Promise<void> {
  if (ran === null) return;
  const append = async (session: Session): Promise<Appended> => {
    gone(line.line, talking);
    return await session.append({ type: "message", message: messageOf(line, ran) });
  };
  const appended = await talking.ready.built.agent.annotate(append, { isSeen: !line.line.isPrivate });
  const answer = written(appended, () => ({ type: "quit" }));
  if (answer.type === "failed") talking.screen.tell(answer.message, "bad");
}

function messageOf({ line, command }: Omit<Running, "signal">, ran: ShellRan): BashExecutionMessage {
  return {
    role: "bashExecution",
    command,
    output: ran.output,
    exitCode: ran.exitCode,
    cancelled: ran.isCancelled,
    truncated: ran.isTruncated,
    ...(line.isPrivate && { excludeFromContext: true }),
    timestamp: Date.now(),
  };
}
