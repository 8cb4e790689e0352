/** Recognises test, build and check commands by program and subcommand, and finds the line that says how one ended. */

import type { ShellWord } from "../shell/words.ts";
import { plainText } from "../text/sanitize.ts";
import { edges } from "../text/truncate.ts";
import { type CommandAt, invocation, locatedCommands, runsNothing } from "./located-commands.ts";

/** A check is a linter, a formatter or a type checker. */
export type CheckKind = "test" | "build" | "check";

export interface CheckCommand {
  readonly kind: CheckKind;
  /** Without what stands around it in its line; with the folder it ran in, where the line names one. */
  readonly command: string;
  /** Null where a pipe or a later command hides it. */
  readonly exitCode: number | null;
}

/** The checks in a line that ended with this code, in order. */
export function findChecks(line: string, exitCode: number | null): readonly CheckCommand[] {
  const commands = locatedCommands(line).filter(({ command }) => !runsNothing(command));
  return commands.flatMap((located, at) => {
    const kind = checkKind(located.command.words);
    if (kind === null) return [];
    const hasOwnCode = hasOwnExitCode(commands, at) && (exitCode === 0 || at === commands.length - 1);
    return [{ kind, command: locatedText(located), exitCode: hasOwnCode ? exitCode : null }];
  });
}

/** Whether the line fails where this command does: nothing but `&&` follows it. */
export function hasOwnExitCode(commands: readonly CommandAt[], at: number): boolean {
  return commands.slice(at + 1).every(({ command }) => command.operator === "&&");
}

/** `cd packages/a && npm test`. */
export function locatedText({ command: { text }, folder }: CommandAt): string {
  return folder ? `cd ${folder} && ${text}` : text;
}

export function checkKind(words: readonly ShellWord[]): CheckKind | null {
  const [name = "", ...rest] = programWords(words);
  if (COMPILERS.has(name)) return rest.includes("--noEmit") ? "check" : "build";
  if (name === "node") return rest.includes("--test") ? "test" : null;
  if (!TASK_RUNNERS.has(name)) return PROGRAMS.get(name) ?? null;
  const [task, ...more] = taskNames(rest);
  if (name === "cmake") return rest.includes("--build") ? "build" : null;
  if (task === undefined) return name === "make" || name === "gmake" ? "build" : null;
  if (task === "run" || task === "run-script" || task === "task") return taskKind(more[0] ?? "");
  return (
    taskKind(task) ?? (TAKES_SEVERAL.test(name) ? (more.map(taskKind).find((kind) => kind !== null) ?? null) : null)
  );
}

/** The program and its words, without what only starts it: `npx`, `uv run`, `python -m`, `scripts/with-env`. */
function programWords(words: readonly ShellWord[]): readonly string[] {
  const { name, rest } = invocation(words);
  const found = [name, ...rest.map((word) => word ?? "")];
  const starters = STARTERS.exec(found.slice(0, 3).join(" "))?.[0].trim().split(" ").length ?? 0;
  if (starters === 0) return wrappedWords(words, found);
  return found.slice(starters + found.slice(starters).findIndex((word) => !/^(?:-|\d)/.test(word)));
}

const STARTERS =
  /^(?:npx|bunx|pnpx|uvx|timeout|nice|xvfb-run|(?:pnpm|npm|yarn|bundle) (?:exec|dlx)|bun x|(?:uv|poetry|pipenv|rye|pdm|hatch) run|python[\d.]{0,5} -m)(?= |$)/;

// `scripts/with-node24 pnpm test`: a script of the project that runs the program behind it.
function wrappedWords(words: readonly ShellWord[], found: readonly string[]): readonly string[] {
  const isScript = words.some((word) => word?.includes("/") && word.endsWith(found[0] ?? ""));
  return isScript && !isKnown(found[0]) && isKnown(found[1]) ? found.slice(1) : found;
}

function isKnown(name = ""): boolean {
  return TASK_RUNNERS.has(name) || PROGRAMS.has(name) || COMPILERS.has(name);
}

/** The words that are neither options nor values of options. */
function taskNames(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => word !== "" && !word.startsWith("-") && !TAKES_VALUE.test(words[at - 1] ?? ""));
}

const TAKES_VALUE = /^(?:-[CwFfpj]|--(?:workspace|prefix|filter|dir|cwd|project|manifest-path))$/;
const TAKES_SEVERAL = /^(?:g?make|mvnw?|gradlew?|rake|just)$/;

/** By the first part of its name that says so: `test:unit`, `build-docs`, `typecheck`. */
function taskKind(task: string): CheckKind | null {
  const parts = task.split(/[:._-]/);
  return parts.map((part) => TASKS.get(part) ?? PROGRAMS.get(part)).find((kind) => kind !== undefined) ?? null;
}

const pairNames = (kind: CheckKind, names: string): readonly (readonly [string, CheckKind])[] =>
  names.split(" ").map((name) => [name, kind]);

const TASKS: ReadonlyMap<string, CheckKind> = new Map([
  ...pairNames("test", "test tests t spec specs e2e unit integration nextest"),
  ...pairNames("build", "build compile bundle assemble package dist all"),
  ...pairNames("check", "check checks lint typecheck types clippy fmt format vet analyze verify tsc tsgo"),
]);

const PROGRAMS: ReadonlyMap<string, CheckKind> = new Map([
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
 * The counts at the end of an output: `tests 34, pass 33, fail 1`, or the last line that counts something, e.g.
 * `12 passed, 1 failed in 0.3s`. Found by its shape, in any language; null where nothing is counted.
 */
export function findOutcome(output: string): string | null {
  const lines = lastLines(output);
  const last = lines.slice(-COUNTED_LINES).findLast((line) => COUNT.test(line) && line.length <= LONGEST);
  return countList(lines) ?? last ?? null;
}

function lastLines(output: string): readonly string[] {
  const lines = (edges(output).at(-1) ?? "").split(/[\r\n]+/).slice(-READ_LINES);
  return lines.map((line) => plainText(line, LONGEST + 1)).filter((line) => line !== "" && !isExitLine(line));
}

/** Whether a line says no more than how the command ended, or that it was silent. */
export function isExitLine(line: string): boolean {
  return line.length < 100 && (EXIT_CODE.test(line) || line.trim() === "(no output)");
}

export const EXIT_CODE: RegExp = /\bexit(?:ed)?(?: with)?(?: exit)? (?:code|status)[: ] {0,2}(-?\d{1,10})\b/i;

/** Of the last lines that each name one count, those that are not zero. */
function countList(lines: readonly string[]): string | null {
  const end = lines.findLastIndex((line, at) =>
    [line, lines[at - 1], lines[at - 2]].every((each) => itemPattern().test(each ?? "")),
  );
  if (end < 0) return null;
  const start = lines.findLastIndex((line, at) => at < end && !itemPattern().test(line)) + 1;
  const items = lines.slice(start, end + 1).map((line) => itemPattern().exec(line)?.slice(1) ?? []);
  const counted = items.filter(([, count]) => Number(count) > 0);
  return (counted.length > 0 ? counted : items.slice(0, 1)).map((item) => item.join(" ")).join(", ");
}

/** `ℹ pass 34`, `# fail 0`, `errors: 3` */
const itemPattern = (): RegExp => /^(?:\S{1,2} )?(\p{L}[\p{L} _-]{1,30}?):? (\d{1,9})$/u;
/** A number above zero that is no part of a name, a version, a time or a place. */
const COUNT = /(?<![\w.:/@-])(?!0+\b)\d{1,9}(?![\w:/-]|\.\d)/;

const READ_LINES = 400;
const COUNTED_LINES = 20;
const LONGEST = 160;
