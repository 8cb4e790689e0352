/** Recognizes test, build and check commands by program and subcommand, and finds the counts in their output. */

import type { ShellWord } from "../shell/parse-word.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { headAndTail } from "../text/truncate.ts";
import { type CommandInFolder, commandsInFolders, parseInvocation, runsNoProgram } from "./shell-commands.ts";

/** Finds the checks in a shell line that ended with this exit code, in order. */
export function findChecks(line: string, exitCode: number | null): readonly CheckCommand[] {
  const commands = commandsInFolders(line).filter(({ command }) => !runsNoProgram(command));
  return commands.flatMap((commandInFolder, index) => {
    const kind = checkKind(commandInFolder.command.words);
    if (kind === null) return [];
    const isExitCodeKnown = decidesExitCode(commands, index) && (exitCode === 0 || index === commands.length - 1);
    return [{ kind, command: commandInFolderText(commandInFolder), exitCode: isExitCodeKnown ? exitCode : null }];
  });
}

/** The kind of a check; `check` is a linter, a formatter or a type checker. */
export type CheckKind = "test" | "build" | "check";

/** A test, build or check command in a shell line. */
export interface CheckCommand {
  readonly kind: CheckKind;
  /** The command alone, with the folder it ran in if the line changes to one. */
  readonly command: string;
  /** Null if a pipe or a later command hides it. */
  readonly exitCode: number | null;
}

/** Whether the line fails if this command fails: it is not piped, and only `&&` and pipes of later commands follow it. */
export function decidesExitCode(commands: readonly CommandInFolder[], index: number): boolean {
  const own = commands[index]?.command;
  // In a loop or a condition, it may run never or many times.
  if (!own || own.nesting > own.depth) return false;
  let { depth } = own;
  let mayBePiped = true;
  for (const { command } of commands.slice(index + 1)) {
    const isPipe = /^\|&?$/.test(command.operator);
    // A pipe after a subshell is a pipe of everything in it.
    if (isPipe && (mayBePiped || command.depth < depth)) return false;
    const isSubstitution = command.operator === "" && command.depth > depth;
    if (!isPipe && !isSubstitution && command.operator !== "&&") return false;
    if (command.operator === "&&") mayBePiped = false;
    depth = Math.min(depth, command.depth);
  }
  return true;
}

/** Formats a command with its folder: `cd packages/a && npm test`. */
export function commandInFolderText({ command: { text }, folder }: CommandInFolder): string {
  return folder ? `cd ${folder} && ${text}` : text;
}

/** Returns the kind of check that a command is, or null. */
export function checkKind(words: readonly ShellWord[]): CheckKind | null {
  const [name = "", ...rest] = programWords(words);
  if (COMPILERS.has(name)) return rest.includes("--noEmit") ? "check" : "build";
  if (name === "node") return rest.includes("--test") ? "test" : null;
  if (!TASK_RUNNERS.has(name)) return CHECK_PROGRAMS.get(name) ?? null;
  const [task, ...more] = taskNames(rest);
  if (name === "cmake") return rest.includes("--build") ? "build" : null;
  if (task === undefined) return name === "make" || name === "gmake" ? "build" : null;
  if (task === "run" || task === "run-script" || task === "task") return taskKind(more[0] ?? "");
  return (
    taskKind(task) ??
    (MULTI_TASK_RUNNERS.test(name) ? (more.map(taskKind).find((kind) => kind !== null) ?? null) : null)
  );
}

/** Returns the program and its arguments without a launcher: `npx`, `uv run`, `python -m`, `scripts/with-env`. */
function programWords(words: readonly ShellWord[]): readonly string[] {
  const { name, args } = parseInvocation(words);
  const allWords = [name, ...args.map((word) => word ?? "")];
  const launcherWords = LAUNCHER_PATTERN.exec(allWords.slice(0, 3).join(" "))?.[0].trim().split(" ").length ?? 0;
  if (launcherWords === 0) return unwrapScript(words, allWords);
  return allWords.slice(launcherWords + allWords.slice(launcherWords).findIndex((word) => !/^(?:-|\d)/.test(word)));
}

const LAUNCHER_PATTERN =
  /^(?:npx|bunx|pnpx|uvx|timeout|nice|xvfb-run|(?:pnpm|npm|yarn|bundle) (?:exec|dlx)|bun x|(?:uv|poetry|pipenv|rye|pdm|hatch) run|python[\d.]{0,5} -m)(?= |$)/;

// `scripts/with-node24 pnpm test`: a project script that runs the program after it.
function unwrapScript(words: readonly ShellWord[], allWords: readonly string[]): readonly string[] {
  const isScript = words.some((word) => word?.includes("/") && word.endsWith(allWords[0] ?? ""));
  return isScript && !isKnownProgram(allWords[0]) && isKnownProgram(allWords[1]) ? allWords.slice(1) : allWords;
}

function isKnownProgram(name = ""): boolean {
  return TASK_RUNNERS.has(name) || CHECK_PROGRAMS.has(name) || COMPILERS.has(name);
}

/** Returns the words that are neither options nor values of options. */
function taskNames(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, index) => word !== "" && !word.startsWith("-") && !TASK_VALUE_OPTION.test(words[index - 1] ?? ""),
  );
}

const TASK_VALUE_OPTION = /^(?:-[CwFfpj]|--(?:workspace|prefix|filter|dir|cwd|project|manifest-path))$/;
const MULTI_TASK_RUNNERS = /^(?:g?make|mvnw?|gradlew?|rake|just)$/;

/** Finds the kind of a task by the parts of its name: `test:unit`, `build-docs`, `typecheck`. */
function taskKind(task: string): CheckKind | null {
  const parts = task.split(/[:._-]/);
  return (
    parts.map((part) => CHECK_TASKS.get(part) ?? CHECK_PROGRAMS.get(part)).find((kind) => kind !== undefined) ?? null
  );
}

const pairNames = (kind: CheckKind, names: string): readonly (readonly [string, CheckKind])[] =>
  names.split(" ").map((name) => [name, kind]);

const CHECK_TASKS: ReadonlyMap<string, CheckKind> = new Map([
  ...pairNames("test", "test tests t spec specs e2e unit integration nextest"),
  ...pairNames("build", "build compile bundle assemble package dist all"),
  ...pairNames("check", "check checks lint typecheck types clippy fmt format vet analyze verify tsc tsgo"),
]);

const CHECK_PROGRAMS: ReadonlyMap<string, CheckKind> = new Map([
  ...pairNames("test", "pytest vitest jest mocha ava tap phpunit rspec ctest tox nox karma nose2 behave bats"),
  ...pairNames(
    "build",
    "tsup webpack rollup rolldown esbuild parcel ninja gcc g++ cc clang clang++ rustc javac kotlinc ghc",
  ),
  ...pairNames("check", "eslint biome prettier ruff mypy pyright flake8 pylint black isort shellcheck golangci-lint"),
  ...pairNames(
    "check",
    "rubocop stylelint oxlint ktlint swiftlint hadolint yamllint markdownlint phpstan psalm xo knip dprint",
  ),
]);

const COMPILERS: ReadonlySet<string> = new Set(["tsc", "tsgo", "vue-tsc"]);

const TASK_RUNNERS: ReadonlySet<string> = new Set(
  (
    "npm pnpm yarn bun make gmake just task rake gradle gradlew mvn mvnw cargo go deno dotnet swift mix zig bazel nx turbo " +
    "lerna rush cmake vite next astro docker sbt stack cabal dune composer poe invoke meson flutter dart ng playwright cypress"
  ).split(" "),
);

/**
 * Finds the counts at the end of an output, by their shape in any language: `tests 34, pass 33, fail 1`, or the last line with a count,
 * e.g. `12 passed, 1 failed in 0.3s`. Returns null if there are none.
 */
export function findOutcome(output: string): string | null {
  const lines = lastLines(output);
  const last = lines
    .slice(-COUNT_SEARCH_LINES)
    .findLast((line) => COUNT_PATTERN.test(line) && line.length <= MAX_OUTCOME_CHARS);
  return formatCountList(lines) ?? last ?? null;
}

function lastLines(output: string): readonly string[] {
  const lines = (headAndTail(output).at(-1) ?? "").split(/[\r\n]+/).slice(-MAX_OUTCOME_LINES);
  return lines
    .map((line) => sanitizeLine(line, MAX_OUTCOME_CHARS + 1))
    .filter((line) => line !== "" && !isExitLine(line));
}

/** Whether a line only states the exit code or that there was no output. */
export function isExitLine(line: string): boolean {
  return line.length < 100 && (EXIT_CODE_PATTERN.test(line) || line.trim() === "(no output)");
}

/** Matches the exit code that a tool prints, such as `Command exited with code 1`. */
export const EXIT_CODE_PATTERN: RegExp = /\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status)[: ] {0,2}(-?\d{1,10})\b/i;

/** Formats the last block of lines with one count each, without the zeros. Returns null if there is none. */
function formatCountList(lines: readonly string[]): string | null {
  const end = lines.findLastIndex((line, index) =>
    [line, lines[index - 1], lines[index - 2]].every((text) => countItemPattern().test(text ?? "")),
  );
  if (end < 0) return null;
  const start = lines.findLastIndex((line, index) => index < end && !countItemPattern().test(line)) + 1;
  const block = lines.slice(start, end + 1).map((line) => countItemPattern().exec(line)?.slice(1) ?? []);
  // Several runs print the same list again: the last one counts.
  const items = block.slice(block.findLastIndex(([name]) => name === block[0]?.[0]));
  const nonZero = items.filter(([, count]) => Number(count) > 0);
  return (nonZero.length > 0 ? nonZero : items.slice(0, 1)).map((item) => item.join(" ")).join(", ");
}

/** `ℹ pass 34`, `# fail 0`, `errors: 3` */
const countItemPattern = (): RegExp => /^(?:\S{1,2} )?(\p{L}[\p{L} _-]{1,30}?):? (\d{1,9})$/u;
/** A number above zero that is not part of a name, a version, a time or a line number. */
const COUNT_PATTERN = /(?<![\w.:/@-])(?!0+\b)\d{1,9}(?![\w:/-]|\.\d)/;

const MAX_OUTCOME_LINES = 400;
const COUNT_SEARCH_LINES = 20;
const MAX_OUTCOME_CHARS = 160;
