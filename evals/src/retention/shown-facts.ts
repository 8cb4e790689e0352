/** Checks which planted facts are in the first message after a compaction. */

import type { Request } from "@pith/context";
import type { Facts } from "./planted-session.ts";

export function firstMessageText({ messages }: Request): string {
  const content = messages[0]?.content ?? "";
  return typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Whether the message has the path of a file or the file count of its folder. */
export function showsFile(firstMessage: string, path: string): boolean {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  return namesFile(firstMessage, path) || firstMessage.includes(`\n${folder}/ (`);
}

export function namesFile(firstMessage: string, path: string): boolean {
  return firstMessage.includes(`\n${path}\n`);
}

type Command = Facts["commands"][number];

/** Finds the last command of each kind. */
export function findLastChecks(commands: readonly Command[], rounds: number): readonly Command[] {
  const last = new Map<string, Command>();
  for (const each of sortByRound(commands, rounds)) {
    const kind = CHECK_KINDS.find(({ names }) => names.test(each.command))?.kind;
    if (kind) last.set(kind, each);
  }
  return [...last.values()];
}

const CHECK_KINDS = [
  { kind: "test", names: /^(?:npm test|pytest)\b/ },
  { kind: "build", names: /^make\b/ },
  { kind: "check", names: /^cargo check\b/ },
] as const;

/** Whether a check is shown. A long command may be cut. */
export function showsCheck(firstMessage: string, { command, exitCode }: Command): boolean {
  return [...firstMessage.matchAll(CHECK_LINE)].some(
    ([, shown = "", code]) => Number(code) === exitCode && isShownAs(shown, command),
  );
}

const CHECK_LINE = /^- \w+: (.+) → exit (\d+)/gm;

function isShownAs(shown: string, command: string): boolean {
  const start = shown.replace(/…$/, "");
  return shown === command || (start !== shown && start.length >= MIN_SHOWN_CHARS && command.startsWith(start));
}

const MIN_SHOWN_CHARS = 8;

/** The last commands that failed, except `git status`. */
export function lastFailures(commands: readonly Command[], rounds: number): readonly Command[] {
  const failed = sortByRound(commands, rounds).filter(({ exitCode }) => exitCode !== 0);
  return failed.filter(({ command }) => !command.startsWith("git status")).slice(-MAX_ERRORS);
}

const MAX_ERRORS = 6;

export function showsError(firstMessage: string, { command }: Command): boolean {
  return firstMessage.includes(`\n- ${command} → something went wrong`);
}

/** Sorts commands in the order in which the rounds plant them. */
function sortByRound(commands: readonly Command[], rounds: number): readonly Command[] {
  return Array.from({ length: rounds }, (_, round) => commands.filter((_, index) => index % rounds === round)).flat();
}
