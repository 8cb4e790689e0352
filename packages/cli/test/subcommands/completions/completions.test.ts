/** Completions in the shells themselves, those that are installed. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseCliArgs } from "../../../src/args/args.ts";
import { listCommandCompletions } from "../../../src/subcommands/completions/completions.ts";
import { idOf, SubcommandRunner } from "../../support/subcommand-runner.ts";

const runner = new SubcommandRunner();
const bin = join(runner.folder, "bin");
let id = "";

beforeAll(async () => {
  id = idOf(await runner.add());
  const hostile = join(runner.home, "sessions", "work", "2026-01-01T00-00-00-000Z_$(touch owned).jsonl");
  mkdirSync(join(hostile, ".."), { recursive: true });
  writeFileSync(hostile, "");
  mkdirSync(bin);
  const ids = await runner.run("__sessions");
  // The real answer, without a start of the program for every key that is pressed.
  writeFileSync(join(bin, "pith"), `#!/bin/sh\nprintf '%s' '${ids.out}'\n`);
  chmodSync(join(bin, "pith"), 0o755);
});

afterAll(() => runner.remove());

test("SUB11 the session ids for completion are plain ids and dates, whatever the file names", async () => {
  const { out } = await runner.run("__sessions");
  expect(out).toMatch(/^last\tthe most recent session in this folder\n[0-9a-f-]{36}\t\d{4}-\d\d-\d\d \d\d:\d\d\n$/);
});

/** What is typed, and what must be among the answers. */
const typed: readonly (readonly [line: string, answer: () => string])[] = [
  ["sess", () => "sessions"],
  ["sessions exp", () => "export"],
  [`sessions show ${"0123456789abcdef"}`.slice(0, 14), () => id],
  ["sessions export last --as m", () => "markdown"],
  ["doctor --f", () => "--fix"],
  ["--thinking h", () => "high"],
  ["--mode r", () => "rpc"],
  ["--mode a", () => "acp"],
  ["--permission-mode p", () => "plan"],
  ["--network h", () => "hosts"],
  ["completions f", () => "fish"],
];

test("SUB11 the completed values of a flag are exactly those it accepts", () => {
  const [program] = listCommandCompletions([]);
  const offered = (program?.flags ?? []).flatMap(({ name, values }) =>
    Array.isArray(values) && values.length > 0 ? [[name, values as readonly string[]] as const] : [],
  );
  expect(offered.map(([name]) => name)).toEqual(["thinking", "mode", "permission-mode", "sandbox", "network"]);
  for (const [name, values] of offered) {
    for (const value of values)
      expect(parseCliArgs([`--${name}`, value]), `--${name} ${value}`).not.toMatchObject({ type: "mistake" });
    const refusal = parseCliArgs([`--${name}`, "nonsense"]);
    const [, taken = ""] =
      /(?:takes|expected) (.+?)(?:, not "nonsense")?$/.exec(refusal.type === "mistake" ? refusal.message : "") ?? [];
    expect(values, `--${name}`).toEqual(taken.replaceAll('"', "").split(/, | or /));
  }
});

test("SUB11 bash completes subcommands, flags, values and sessions", async () => {
  const { out } = await runner.run("completions", "bash");
  writeFileSync(join(runner.folder, "pith.bash"), out);
  const tries = typed.map(
    ([line]) =>
      `COMP_WORDS=(pith ${line}${line.endsWith(" ") ? "''" : ""}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _pith; echo "\${COMPREPLY[*]}"`,
  );
  const script = ["source ./pith.bash", ...tries].join("\n");
  const answers = ran("bash", ["--norc", "-c", script]).split("\n");
  for (const [at, [, answer]] of typed.entries()) expect(answers[at]?.split(" ")).toContain(answer());
  expect(existsSync(join(runner.folder, "owned"))).toBe(false);
});

test("SUB11 in bash, a folder with the name of a subcommand is not completed in its place", async () => {
  const { out } = await runner.run("completions", "bash");
  writeFileSync(join(runner.folder, "pith.bash"), out);
  for (const name of ["sessions", "sessile.d"]) mkdirSync(join(runner.folder, name));
  // Whether bash would add a slash to what is a folder.
  const compoptStub = 'compopt() { echo "marked as files"; }';
  const tries = ["sess", "sessions export last -o sess"].map(
    (line) => `COMP_WORDS=(pith ${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _pith; echo "\${COMPREPLY[*]}"`,
  );
  const script = ["source ./pith.bash", "complete -p pith", compoptStub, ...tries].join("\n");
  expect(ran("bash", ["--norc", "-c", script]).trim().split("\n")).toEqual([
    "complete -F _pith pith",
    "sessions",
    "marked as files",
    "sessile.d sessions",
  ]);
});

test.skipIf(!isHere("fish"))("SUB11 fish completes subcommands, flags, values and sessions", async () => {
  const { out } = await runner.run("completions", "fish");
  writeFileSync(join(runner.folder, "pith.fish"), out);
  const tries = typed.map(([line]) => `complete -C 'pith ${line}' | string split -f1 \\t | string join ' '; echo`);
  const answers = ran("fish", ["--no-config", "-c", ["source ./pith.fish", ...tries].join("\n")]).split("\n");
  for (const [, answer] of typed) expect(answers.flatMap((line) => line.split(" "))).toContain(answer());
});

test.skipIf(!isHere("zsh"))("SUB11 zsh completes subcommands, flags, values and sessions", async () => {
  const { out } = await runner.run("completions", "zsh");
  writeFileSync(join(runner.folder, "_pith"), out);
  const lines = typed.map(([line, answer]) => `'pith ${line}' '${answer()}'`).join(" ");
  expect(ran("zsh", ["-f", "-c", ZSH.replace("LINES", lines)])).toBe("");
});

/** A shell of its own at a terminal of its own, for nothing else makes zsh complete; prints what did not come within 20 seconds. */
const ZSH = `zmodload zsh/zpty
wait_for() {
  local out="" part until=$((SECONDS + 20))
  while [[ "\${out//[[:cntrl:]]/}" != *"$1"* ]]; do
    (( SECONDS > until )) && { print -r -- "no $1 in $out"; return }
    if zpty -r -t z part; then out+="$part"; else sleep 0.05; fi
  done
}
zpty -b z "zsh -f -i"
zpty -w z 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; bindkey "^I" complete-word; echo set""up-done'
wait_for setup-done
for line answer in LINES; do
  zpty -w -n z "$line"$'\\t'
  wait_for "$answer"
  zpty -w -n z $'\\x15'
done
zpty -d z`;

function ran(shell: string, args: readonly string[]): string {
  const env = {
    ...runner.environment,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: runner.folder,
    TERM: "dumb",
  };
  return execFileSync(shell, args, { cwd: runner.folder, env, encoding: "utf8", timeout: 30_000 });
}

/** CI installs them all: there, one that is missing is a fault. */
function isHere(shell: string): boolean {
  if (process.env.CI) return true;
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, shell)));
}
