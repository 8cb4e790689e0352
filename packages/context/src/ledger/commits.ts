/** Finds the commits that shell lines made, by what git prints and by the messages they give. */

import type { ShellWord } from "../shell/words.ts";
import { plainText } from "../text/sanitize.ts";
import { edges } from "../text/truncate.ts";
import { LETTERS, type LedgerCommit } from "./ledger.ts";
import { shellCommands } from "./located-commands.ts";
import { hasFailed, type Run, runOutput, shellLine } from "./tool-runs.ts";

export function runCommits(run: Run): readonly LedgerCommit[] {
  const line = shellLine(run) ?? "";
  if (!line.includes("git")) return [];
  const commands = shellCommands(line)
    .map(({ words }) => gitWords(words))
    .filter(([name]) => COMMITTING.has(name ?? ""));
  if (commands.length === 0) return [];
  const printed = edges(runOutput(run)).flatMap(printedCommits);
  if (printed.length > 0 || hasFailed(run)) return printed;
  return commands.flatMap((words) => {
    const subject = givenMessage(words);
    return subject === null ? [] : [{ hash: null, subject }];
  });
}

/** What follows `git` and its own options, from the subcommand on. */
function gitWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const at = words.findIndex((word) => word === "git" || word?.endsWith("/git"));
  const rest = at < 0 ? [] : words.slice(at + 1);
  const name = rest.findIndex((word, index) => !word?.startsWith("-") && !TAKES_VALUE.test(rest[index - 1] ?? ""));
  return name < 0 ? [] : rest.slice(name);
}

const TAKES_VALUE = /^-[Cc]$/;
const COMMITTING: ReadonlySet<string> = new Set(["commit", "merge", "cherry-pick", "revert", "am"]);

/** `[main 0a1b2c3] Fix the lock` */
function printedCommits(output: string): readonly LedgerCommit[] {
  const found = output.matchAll(/^\[[^\]\r\n]{1,200} ([\da-f]{7,40})\] ([^\r\n]{1,1000})/gm);
  return [...found].map(([, hash = "", subject = ""]) => ({ hash, subject: plainText(subject, LETTERS.subject) }));
}

/** The first line of a message that the command itself gives; null where it comes from elsewhere. */
function givenMessage([name, ...words]: readonly ShellWord[]): string | null {
  if (name !== "commit") return null;
  const at = words.findIndex((word) => /^(?:-[a-z]{0,5}m|--message)$/.test(word ?? ""));
  const given = at < 0 ? words.find((word) => word?.startsWith("--message="))?.slice(10) : words[at + 1];
  const [first = ""] = (given ?? "").trimStart().split(/[\r\n]/, 1);
  return plainText(first, LETTERS.subject) || null;
}
