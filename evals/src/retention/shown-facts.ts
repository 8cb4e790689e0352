/** Says which planted facts stand in the first message after a compaction. */

import type { Request } from "@pith/context";
import type { Facts } from "./planted-session.ts";

export function firstMessage({ messages }: Request): string {
  const content = messages[0]?.content ?? "";
  return typeof content === "string"
    ? content
    : content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** By its full name, or counted in its folder. */
export function showsFile(front: string, path: string): boolean {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  return namesFile(front, path) || front.includes(`\n${folder}/ (`);
}

export function namesFile(front: string, path: string): boolean {
  return front.includes(`\n${path}\n`);
}

type Command = Facts["commands"][number];

/** The command of each kind that was run last, in so many rounds. */
export function lastChecks(commands: readonly Command[], rounds: number): readonly Command[] {
  const last = new Map<string, Command>();
  for (const each of inOrder(commands, rounds)) {
    const kind = KINDS.find(({ names }) => names.test(each.command))?.kind;
    if (kind) last.set(kind, each);
  }
  return [...last.values()];
}

const KINDS = [
  { kind: "test", names: /^(?:npm test|pytest)\b/ },
  { kind: "build", names: /^make\b/ },
  { kind: "check", names: /^cargo check\b/ },
] as const;

export function showsCheck(front: string, { command, exitCode }: Command): boolean {
  return front.includes(`: ${command} → exit ${exitCode}`);
}

/** The newest commands that did something and failed. */
export function openErrors(commands: readonly Command[], rounds: number): readonly Command[] {
  const failed = inOrder(commands, rounds).filter(({ exitCode }) => exitCode !== 0);
  return failed.filter(({ command }) => !command.startsWith("git status")).slice(-NEWEST);
}

const NEWEST = 6;

export function showsError(front: string, { command }: Command): boolean {
  return front.includes(`\n- ${command} → something went wrong`);
}

/** As they are planted: in each round those whose number leaves its rest. */
function inOrder(commands: readonly Command[], rounds: number): readonly Command[] {
  return Array.from({ length: rounds }, (_, round) => commands.filter((_, at) => at % rounds === round)).flat();
}
