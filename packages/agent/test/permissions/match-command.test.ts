/** Compares parsed shell lines with a real shell: a plain command must run as parsed, and nothing else may run. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseShellLine } from "@pith/context/host";
import fc from "fast-check";
import { expect, test } from "vitest";
import { matchCommand } from "../../src/permissions/rules.ts";

/** The words of every command, where all are plain and known; the only lines that an allow can let pass. */
function plainCommands(line: string): readonly string[] | null {
  const commands = parseShellLine(line)?.commands;
  const isPlain = commands?.every(({ words, isPlain: plain }) => plain && words.length > 0 && !words.includes(null));
  return commands && isPlain ? commands.map(({ words }) => words.join(BETWEEN)) : null;
}

const BETWEEN = "\u001f";
const AFTER = "\u001e";
const LINE_END = "\u001d";

// Every command is one that is not found, so that bash tells its words and does nothing else.
const script = `
PATH=/nowhere
command_not_found_handle() { local said; printf -v said '%s${BETWEEN}' "$@"; printf '%s${AFTER}' "\${said%?}" >&9; }
exec 9>"$1"; shift
for line; do ( eval -- "$line"; wait ) </dev/null >/dev/null 2>&1; printf '${LINE_END}' >&9; done
`;

interface Run {
  /** Files that came of it. */
  readonly made: readonly string[];
  /** The commands of each line. */
  readonly ran: readonly (readonly string[])[];
}

function runInBash(lines: readonly string[]): Run {
  const folder = mkdtempSync(join(tmpdir(), "pith-lines-"));
  try {
    const here = join(folder, "here");
    mkdirSync(here);
    execFileSync("bash", ["--norc", "-c", script, "bash", join(folder, "said"), ...lines], { cwd: here });
    const made = readdirSync(here);
    const outputLines = readFileSync(join(folder, "said"), "utf8").split(LINE_END).slice(0, lines.length);
    return { made, ran: outputLines.map((each) => each.split(AFTER).filter((command) => command !== "")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tokens = [
  ...["aq", "bq", "cq", " ", " ", " ", "'", '"', "\\", "\n", ";", "&", "|", "&&", "||", "(", ")", "{", "}"],
  ...["$", "`", "<", ">", ">&", "2>&1", ">/dev/null", "&>", "#", "=", "*", "?", "[", "~", "!", "$(", "q=1", "-x"],
  ...["/", ".", ",", ":", "1", "^", "%", "@", "+", "if ", "then ", "fi", "do ", "done", "é"],
  ...["-", "<&", "<<<", "<(", ">(", "$q", "time ", "for q in ", "\\\n", "<<", "coproc "],
];

function sampleLines(of: readonly string[], numRuns: number): readonly string[] {
  const line = fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 9 }).map((some) => some.join(""));
  return [...new Set(fc.sample(line, { numRuns, seed: 7 }))];
}

test("PERM16 bash runs exactly the commands that are parsed as plain", () => {
  const lines = sampleLines(tokens, 30_000).filter((line) => (plainCommands(line)?.length ?? 0) > 0);
  const several = lines.slice(0, 500);
  const { ran, made } = runInBash(several);
  const read = several.map((line) => plainCommands(line) ?? []);
  const beyond = several.filter((_, at) => ran[at]?.some((command) => !read[at]?.includes(command)));
  expect({ beyond, made }).toEqual({ beyond: [], made: [] });
  // The rest are mistakes to bash, or stand behind `||`, or name a path.
  const exact = several.filter((_, at) => ran[at]?.toSorted().join(AFTER) === read[at]?.toSorted().join(AFTER));
  expect(exact.length).toBeGreaterThan(several.length / 2);
});

test("PERM16 every command that bash runs of a line is parsed, or the line is unreadable", () => {
  const harmless = tokens.filter((token) => !["/", ".", "~"].includes(token));
  const lines = sampleLines(harmless, 500);
  const { ran } = runInBash(lines);
  const missed = lines.filter((line, at) =>
    ran[at]?.some((command) => !couldRun(line, command.split(BETWEEN)[0] ?? "")),
  );
  expect(missed).toEqual([]);
  expect(ran.filter((commands) => commands.length > 0).length).toBeGreaterThan(50);
});

function couldRun(line: string, name: string): boolean {
  return matchCommand({ type: "command", text: name, words: [name], isPrefix: true }, line) !== "no";
}
