/** Finds the commits that shell lines made, by what git prints and by the messages they give. */

import type { ShellWord } from "../shell/words.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { headAndTail } from "../text/truncate.ts";
import { type LedgerCommit, MAX_LEDGER_CHARS } from "./ledger.ts";
import { parseShellCommands } from "./located-commands.ts";
import { hasFailed, runOutput, runShellLine, type ToolRun } from "./tool-runs.ts";

export function runCommits(run: ToolRun): readonly LedgerCommit[] {
  const line = runShellLine(run) ?? "";
  if (!line.includes("git")) return [];
  const commands = parseShellCommands(line)
    .map(({ words }) => gitWords(words))
    .filter(([name]) => COMMIT_SUBCOMMANDS.has(name ?? ""));
  if (commands.length === 0) return [];
  const outputCommits = headAndTail(runOutput(run)).flatMap(parsePrintedCommits);
  if (outputCommits.length > 0 || hasFailed(run)) return outputCommits;
  return commands.flatMap((words) => {
    const subject = readCommitSubject(words);
    return subject === null ? [] : [{ hash: null, subject }];
  });
}

/** What follows `git` and its own options, from the subcommand on. */
function gitWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const gitIndex = words.findIndex((word) => word === "git" || word?.endsWith("/git"));
  const rest = gitIndex < 0 ? [] : words.slice(gitIndex + 1);
  const name = rest.findIndex((word, index) => !word?.startsWith("-") && !GIT_VALUE_OPTION.test(rest[index - 1] ?? ""));
  return name < 0 ? [] : rest.slice(name);
}

const GIT_VALUE_OPTION = /^-[Cc]$/;
const COMMIT_SUBCOMMANDS: ReadonlySet<string> = new Set(["commit", "merge", "cherry-pick", "revert", "am"]);

/** `[main 0a1b2c3] Fix the lock` */
function parsePrintedCommits(output: string): readonly LedgerCommit[] {
  const matches = output.matchAll(/^\[[^\]\r\n]{1,200} ([\da-f]{7,40})\] ([^\r\n]{1,1000})/gm);
  return [...matches].map(([, hash = "", subject = ""]) => ({
    hash,
    subject: sanitizeLine(subject, MAX_LEDGER_CHARS.subject),
  }));
}

/** The first line of a message that the command itself gives; null where it comes from elsewhere. */
function readCommitSubject([name, ...words]: readonly ShellWord[]): string | null {
  if (name !== "commit") return null;
  const index = words.findIndex((word) => /^(?:-[a-z]{0,5}m|--message)$/.test(word ?? ""));
  const message = index < 0 ? words.find((word) => word?.startsWith("--message="))?.slice(10) : words[index + 1];
  const [first = ""] = (message ?? "").trimStart().split(/[\r\n]/, 1);
  return sanitizeLine(first, MAX_LEDGER_CHARS.subject) || null;
}
