/** Tracks the commits of a session. A commit is listed only if git printed it or its command is known to have succeeded. */

import type { ShellWord } from "../shell/parse-word.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { headAndTail } from "../text/truncate.ts";
import { type CommandOutcomes, findCommandOutcomes } from "./command-outcomes.ts";
import { type LedgerCommit, MAX_LEDGER_CHARS, newestCommits } from "./ledger.ts";
import type { CommandInFolder } from "./shell-commands.ts";
import { hasFailed, type ToolRun, toolRunOutput, toolRunShellLine } from "./tool-runs.ts";

/** Returns the commits after these runs. */
export function updateCommits(before: readonly LedgerCommit[], runs: readonly ToolRun[]): readonly LedgerCommit[] {
  return runs.reduce((commits, run) => newestCommits(addRunCommits(commits, run)), before);
}

function addRunCommits(before: readonly LedgerCommit[], run: ToolRun): readonly LedgerCommit[] {
  if (!toolRunShellLine(run)?.includes("git")) return before;
  const outcomes = findCommandOutcomes(run);
  const gitCommands = outcomes.commands
    .map((command) => ({ command, words: gitWords(command) }))
    .filter(({ words }) => words.length > 0);
  if (gitCommands.length === 0) return before;
  const output = headAndTail(toolRunOutput(run));
  const printed = gitCommands.some(({ words }) => isCommit(words)) ? output.flatMap(parsePrintedCommits) : [];
  const hashes = new Map(output.flatMap(parseCommitLines));
  let commits = before;
  for (const { command, words } of gitCommands) {
    if (isCommit(words)) commits = addCommit(commits, { words, command, printed, hashes, outcomes });
    else if (outcomes.succeeded.has(command) || !hasFailed(run)) commits = moveHistory(commits, words);
  }
  // A commit may print more than one line, such as a cherry-pick of several.
  return [...commits, ...printed].map(({ hash, subject }) => ({ hash: hashes.get(subject) ?? hash, subject }));
}

/** Returns the git subcommand and its arguments, without git's own options. */
function gitWords({ command: { words } }: CommandInFolder): readonly ShellWord[] {
  const gitIndex = words.findIndex((word) => word === "git" || word?.endsWith("/git"));
  const rest = gitIndex < 0 ? [] : words.slice(gitIndex + 1);
  const subcommandIndex = rest.findIndex(
    (word, index) => !word?.startsWith("-") && !GIT_VALUE_OPTION.test(rest[index - 1] ?? ""),
  );
  return subcommandIndex < 0 ? [] : rest.slice(subcommandIndex);
}

const GIT_VALUE_OPTION = /^-[Cc]$/;

const isCommit = ([name]: readonly ShellWord[]): boolean => COMMIT_SUBCOMMANDS.has(name ?? "");
const COMMIT_SUBCOMMANDS: ReadonlySet<string> = new Set(["commit", "merge", "cherry-pick", "revert", "am"]);

interface CommitCommand {
  readonly words: readonly ShellWord[];
  readonly command: CommandInFolder;
  /** The commits that git printed and that are not added yet. */
  readonly printed: LedgerCommit[];
  /** The hashes in the output by subject. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly outcomes: CommandOutcomes;
}

function addCommit(
  commits: readonly LedgerCommit[],
  { words, command, printed, hashes, outcomes }: CommitCommand,
): readonly LedgerCommit[] {
  const isAmended = words.includes("--amend");
  const earlier = isAmended ? commits.slice(0, -1) : commits;
  const next = printed.shift();
  if (next) return [...earlier, next];
  const subject = readCommitSubject(words) ?? (isAmended ? commits.at(-1)?.subject : undefined);
  if (subject === undefined || !(hashes.has(subject) || outcomes.succeeded.has(command))) return commits;
  return [...earlier, { hash: hashes.get(subject) ?? null, subject }];
}

/** Parses lines such as `[main 0a1b2c3] Fix the lock`, which `git commit` prints. */
function parsePrintedCommits(output: string): readonly LedgerCommit[] {
  const matches = output.matchAll(/^\[[^\]\r\n]{1,200} ([\da-f]{7,40})\] ([^\r\n]{1,1000})/gm);
  return [...matches].map(([, hash = "", subject = ""]) => ({ hash, subject: sanitizeSubject(subject) }));
}

/** Parses lines such as `0a1b2c3 (HEAD -> main) Fix the lock`, which `git log --oneline` prints, as pairs of subject and hash. The newest is last. */
function parseCommitLines(output: string): readonly (readonly [string, string])[] {
  const matches = output.matchAll(/^([\da-f]{7,40}) (?:\([^)\r\n]{1,200}\) )?([^\r\n]{1,1000})/gm);
  return [...matches].map(([, hash = "", subject = ""]) => [sanitizeSubject(subject), hash] as const).toReversed();
}

function sanitizeSubject(subject: string): string {
  return sanitizeLine(subject, MAX_LEDGER_CHARS.subject);
}

/** Returns the first line of the message on the command line, or null if there is none. */
function readCommitSubject([name, ...words]: readonly ShellWord[]): string | null {
  if (name !== "commit") return null;
  const index = words.findIndex((word) => /^(?:-[a-z]{0,5}m|--message)$/.test(word ?? ""));
  const message = index < 0 ? words.find((word) => word?.startsWith("--message="))?.slice(10) : words[index + 1];
  const [first = ""] = (message ?? "").trimStart().split(/[\r\n]/, 1);
  return sanitizeSubject(first) || null;
}

/** Removes commits that a reset took back, and the hashes that a rebase changed. */
function moveHistory(
  commits: readonly LedgerCommit[],
  [name, ...words]: readonly ShellWord[],
): readonly LedgerCommit[] {
  if (name === "rebase") return commits.map(({ subject }) => ({ hash: null, subject }));
  const target = name === "reset" ? words.find((word) => word !== null && !word.startsWith("-")) : undefined;
  if (target == null) return commits;
  const [, count, carets] = /^(?:HEAD|@)(?:~(\d{0,4})|(\^{1,9}))$/.exec(target) ?? [];
  if (count !== undefined || carets !== undefined)
    return commits.slice(0, Math.max(0, commits.length - (carets?.length ?? Number(count || 1))));
  const index = commits.findIndex(
    ({ hash }) => hash !== null && /^[\da-f]{7,40}$/.test(target) && isSameHash(hash, target),
  );
  return index < 0 ? commits : commits.slice(0, index + 1);
}

const isSameHash = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);
