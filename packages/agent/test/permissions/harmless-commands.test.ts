/** Runs every harmless command with each possible escape: writing a file, running a program, sending data. */

import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { HARMLESS_PREFIXES } from "../../src/permissions/classify-commands.ts";
import { decide } from "../../src/permissions/decide.ts";
import { act, command, permissionPaths, rules, sight } from "../support/permission-requests.ts";

const place = mkdtempSync(join(tmpdir(), "pith-harmless-"));
/** Keeps what the workspace should look like; its bytes are compared after each command. */
const pristine = join(place, "pristine");
const probe = join(place, "probe");
const marker = join(place, "ran");
const server = createServer((socket) => socket.destroy());
let connections = 0;
let port = 0;

beforeAll(async () => {
  mkdirSync(join(pristine, "src"), { recursive: true });
  writeFileSync(join(pristine, "a.txt"), "one\ntwo\n");
  writeFileSync(join(pristine, "names"), "a.txt\0src/b.txt\0");
  writeFileSync(join(pristine, "src/b.txt"), "three\n");
  writeFileSync(probe, `#!/bin/sh\necho ran > '${marker}'\n`, { mode: 0o755 });
  const git = (...words: string[]) => execFileSync("git", words, { cwd: pristine, stdio: "ignore" });
  git("init");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-m", "first");
  writeFileSync(join(pristine, "a.txt"), "one\nchanged\n");
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});

afterAll(() => {
  server.close();
  rmSync(place, { recursive: true, force: true });
});

/** The options that the program itself names, so that one which is new in this version is tried as well. */
function namedOptions(words: readonly string[]): readonly string[] {
  const ask = (option: string): string => {
    try {
      return execFileSync(words[0] ?? "", [...words.slice(1), option], {
        encoding: "utf8",
        stdio: "pipe",
        timeout: 5_000,
      });
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
      return `${stdout}${stderr}`;
    }
  };
  const help = words[0] === "git" ? ask("-h") : ask("--help");
  return [...new Set(help.match(/(?<![\w-])--[a-z][a-z0-9-]+/g) ?? [])].filter((option) => option !== "--help");
}

/** Each way that programs have to write a file, to run something, or to reach a host. */
function continuations(words: readonly string[], out: string): readonly (readonly string[])[] {
  const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const named = namedOptions(words);
  return [
    [out],
    ["a.txt", out],
    ["a.txt", "src/b.txt", out],
    ...letters.flatMap((letter) => [
      [`-${letter}`, out, "a.txt"],
      [`-${letter}${probe}`, "a.txt"],
    ]),
    ...named.flatMap((option) => [
      [`${option}=${out}`, "a.txt"],
      [`${option}=${probe}`, "a.txt"],
      [option, "a.txt", out],
    ]),
    ...[`--output=${out}`, `--exec=${probe}`, `--pre=${probe}`, `--pager=${probe}`, "--ext-diff", "--textconv"].map(
      (option) => [option, "a.txt"],
    ),
    ...[`--compress-program=${probe}`, `--open-files-in-pager=${probe}`, `-O${probe}`].map((option) => [
      option,
      "a.txt",
    ]),
    ["-exec", probe, ";"],
    ["-delete"],
    ["-D", "first"],
    ["-i", "s/one/1/", "a.txt"],
    [`-c`, `alias.status=!${probe}`, "status"],
    [`http://127.0.0.1:${port}/`],
    [`/dev/tcp/127.0.0.1/${port}`],
    ["-d", "@a.txt", `http://127.0.0.1:${port}/`],
    ["--files0-from=names"],
  ];
}

interface Harm {
  readonly words: readonly string[];
  readonly wrote: readonly string[];
  readonly ran: boolean;
  readonly sent: boolean;
}

/** A program that waits for more, such as `tail -f`, is ended. */
async function run(
  words: readonly string[],
  { cwd, timeout }: { readonly cwd: string; readonly timeout: number },
): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: join(place, "home"), PAGER: probe, GIT_PAGER: probe, EDITOR: probe };
  const child = spawn(words[0] ?? "", words.slice(1), { cwd, env, stdio: "ignore", timeout });
  await new Promise((resolve) => {
    child.on("close", resolve);
    child.on("error", resolve);
  });
}

/** Names of files that are new, gone or different; git's own index is refreshed by every `git status` of anybody. */
function changesIn(work: string): readonly string[] {
  const listed = (folder: string): readonly string[] =>
    (readdirSync(folder, { recursive: true, withFileTypes: true }) as readonly import("node:fs").Dirent[])
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((name) => name !== ".git/index");
  const [now, then] = [new Set(listed(work)), new Set(listed(pristine))];
  const outside = readdirSync(place).filter(
    (name) => !["pristine", "probe", "ran", "home"].includes(name) && !name.startsWith("work-"),
  );
  return [
    ...outside,
    ...[...now].filter((name) => !then.has(name)),
    ...[...then].filter(
      (name) => !now.has(name) || !readFileSync(join(work, name)).equals(readFileSync(join(pristine, name))),
    ),
  ];
}

/** All of them at once, in one copy of the workspace; where something came of it, one by one, to name it. */
async function harmsOf(beginning: string, tries: readonly (readonly string[])[]): Promise<readonly Harm[]> {
  const lines = tries.map((more) => [...beginning.split(" "), ...more]);
  const all = await harmOf(lines, { timeout: 1_500 });
  if (all === null) return [];
  const each: Harm[] = [];
  for (const line of lines) {
    const harm = await harmOf([line], { timeout: 1_500 });
    if (harm) each.push(harm);
  }
  return each.length > 0 ? each : [all];
}

/** Null where they did none. */
async function harmOf(
  lines: readonly (readonly string[])[],
  { timeout }: { readonly timeout: number },
): Promise<Harm | null> {
  const work = mkdtempSync(join(place, "work-"));
  cpSync(pristine, work, { recursive: true });
  const before = connections;
  const left = [...lines];
  const worker = async (): Promise<void> => {
    for (let line = left.shift(); line; line = left.shift()) await run(line, { cwd: work, timeout });
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  const [wrote, ran, sent] = [changesIn(work), existsSync(marker), connections > before];
  rmSync(marker, { force: true });
  rmSync(work, { recursive: true, force: true });
  return wrote.length > 0 || ran || sent ? { words: lines[0] ?? [], wrote, ran, sent } : null;
}

describe("PERM35 a command prefix that is offered as a rule is harmless with any arguments", () => {
  test.each(HARMLESS_PREFIXES)("%s", async (beginning) => {
    const tries = continuations(beginning.split(" "), "out.txt");
    // One of four, begun at a random one: each is tried in some run.
    const start = Math.floor(Math.random() * 4);
    const chosen = isLong ? tries : tries.filter((_, at) => at % 4 === start);
    expect(await harmsOf(beginning, chosen)).toEqual([]);
  });

  // The same harness, so that a green row above means something.
  test.each([
    ["sort", [["-o", "out.txt", "a.txt"]]],
    ["uniq", [["a.txt", "out.txt"]]],
    ["git log", [["--output=out.txt"]]],
    ["git diff", [["--output=out.txt"]]],
    ["git blame", [["--output=out.txt", "a.txt"]]],
    ["git grep", [["--open-files-in-pager=PROBE", "one"]]],
    ["sed", [["-i", "s/one/1/", "a.txt"]]],
    ["tee", [["out.txt"]]],
    ["cp", [["a.txt", "out.txt"]]],
    ["mv", [["a.txt", "out.txt"]]],
    ["find", [[".", "-name", "a.txt", "-exec", "PROBE", ";"]]],
    ["tar", [["-cf", "out.tar", "a.txt"]]],
    ["env", [["PROBE"]]],
    ["git branch", [["new"]]],
    ["bash", [["-c", `exec 3<>/dev/tcp/127.0.0.1/PORT`]]],
  ] as const)("the test detects the harm of %s", async (beginning, tries) => {
    const lines = tries.map((more) => [
      ...beginning.split(" "),
      ...more.map((word) => word.replace("PROBE", probe).replace("PORT", `${port}`)),
    ]);
    expect(await harmOf(lines, { timeout: 30_000 })).not.toBe(null);
    expect(HARMLESS_PREFIXES).not.toContain(beginning);
  });
});

test("PERM35 a remembered prefix permits no second command, redirection or substitution", () => {
  const standing = {
    mode: "ask",
    rules: rules({ allow: HARMLESS_PREFIXES.map((each) => `bash(${each}:*)`) }),
    paths: permissionPaths,
  } as const;
  const isAllowed = (line: string): boolean => decide(sight(act(command(line, true))), standing).type === "allowed";
  for (const beginning of HARMLESS_PREFIXES) {
    expect(isAllowed(`${beginning} x`), beginning).toBe(true);
    const lines = [
      ...[
        `${beginning} > out`,
        `${beginning} >> out`,
        `${beginning} | tee out`,
        `${beginning} | sh`,
        `${beginning}; rm x`,
      ],
      ...[
        `${beginning} && ./run`,
        `${beginning} $(./run)`,
        `${beginning} \`./run\``,
        `${beginning} <(./run)`,
        `${beginning} & ./run`,
      ],
      ...[
        `X=1 ${beginning}`,
        `sudo ${beginning}`,
        `env ${beginning}`,
        `./${beginning}`,
        `/tmp/${beginning}`,
        `${beginning} >| out`,
      ],
      ...[`cd /elsewhere && ${beginning}`, `${beginning} &> out`, `! ${beginning} > out`],
    ];
    for (const line of lines) expect(isAllowed(line), line).toBe(false);
  }
});

test("PERM35 a remembered prefix of git does not permit its manual, which runs other programs", () => {
  const isAllowed = (line: string, ...allow: readonly string[]): boolean =>
    decide(sight(act(command(line, true))), { mode: "ask", rules: rules({ allow }), paths: permissionPaths }).type ===
    "allowed";
  for (const beginning of HARMLESS_PREFIXES.filter((each) => each.startsWith("git "))) {
    expect(isAllowed(`${beginning} --help`, `bash(${beginning}:*)`), beginning).toBe(false);
    expect(isAllowed(`${beginning} -s --help`, `bash(${beginning}:*)`), beginning).toBe(false);
    expect(isAllowed(`${beginning} --help`, `bash(${beginning} --help)`), beginning).toBe(true);
  }
});

test("PERM36 a rule on an exact line permits no input piped into that command", () => {
  const allow = ["bash(psql app)", "bash(echo:*)", "bash(npm test)", "bash(tail:*)", "bash(ls:*)"];
  const standing = { mode: "ask", rules: rules({ allow }), paths: permissionPaths } as const;
  const isAllowed = (line: string): boolean => decide(sight(act(command(line, true))), standing).type === "allowed";
  expect(isAllowed("psql app")).toBe(true);
  expect(isAllowed("echo 'drop table users' | psql app")).toBe(false);
  expect(isAllowed("echo 'drop table users' |& psql app")).toBe(false);
  expect(isAllowed("ls && echo x | psql app")).toBe(false);
  expect(isAllowed("npm test 2>&1 | tail -20")).toBe(true);
  expect(isAllowed("npm test |& tail -20")).toBe(true);
  expect(isAllowed("ls && npm test")).toBe(true);
  expect(isAllowed("ls || npm test")).toBe(true);
});
