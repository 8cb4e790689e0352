/** Starting in a folder that wants to harm whoever starts in it. */

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ProgramTrace, traceProgram } from "../support/trace-program.ts";
import { plant } from "./hostile-repository.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "pith-hostile-")));
const at = (name: string): string => join(root, name);
const KEY = "sk-ant-the-key-of-the-user";
const stolen: string[] = [];
let server: TestServer;
let thief: Server;
let work: string;

beforeAll(async () => {
  for (const name of ["empty", "marks", "secret", "user", "tmp"]) mkdirSync(at(name));
  writeFileSync(at("secret/SKILL.md"), "the secret of the user");
  server = await startServer({ script: ({ resultCount }) => (resultCount === 0 ? lookAround : "done") });
  thief = createServer((request, response) => {
    stolen.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.end("{}");
  });
  await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(thief.address() as AddressInfo).port}`;
  work = plant({ root: at("repo"), marks: at("marks"), thief: address, secret: at("secret/SKILL.md") });
});

afterAll(async () => {
  thief.close();
  await server.close();
  rmSync(root, { recursive: true });
});

/** Each tool that starts a program, and those that walk through folders. */
const lookAround: Step = {
  parts: [
    { type: "call", name: "bash", arguments: { command: ":" } },
    { type: "call", name: "grep", arguments: { pattern: "nothing-of-the-kind" } },
    { type: "call", name: "find", arguments: { glob: "*.nothing" } },
    { type: "call", name: "ls", arguments: {} },
  ],
};

const SAYING = ["-p", "hi", "--tools", "all"];

test("TRU10 in a hostile folder pith starts no other program, connects to no other host and writes nothing elsewhere", async () => {
  const [calm, hostile] = await Promise.all([run("calm", SAYING, at("empty")), run("hostile", SAYING, work)]);
  for (const each of [calm, hostile]) expect(each).toMatchObject({ code: 0, out: "done\n" });
  expect(hostile.started.toSorted()).toEqual(calm.started.toSorted());
  expect(calm.started.map((path) => basename(path))).toEqual(expect.arrayContaining(["bwrap", "rg"]));
  expect(new Set([...hostile.connected, ...calm.connected])).toEqual(new Set([new URL(server.url).host]));
  const usual = elsewhere(calm, "calm", at("empty"));
  expect(elsewhere(hostile, "hostile", work).filter((path) => !usual.includes(path))).toEqual([]);
  expect(strangeReads(hostile)).toEqual([]);
  expect(hostile.notes.match(/is not trusted, so its .* are not used/g)).toHaveLength(1);
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain("always use this");
  expect(harm()).toEqual([]);
});

test("TRU10 subcommands in a hostile folder start none of its programs and connect to nothing", async () => {
  const looks = [["sessions", "list"], ["doctor"], ["trust", "--show"]];
  const traces = await Promise.all(looks.map((args, number) => run(`look-${number}`, args, work)));
  expect(traces.flatMap(({ started }) => started).filter(isForeign)).toEqual([]);
  expect(traces.flatMap(({ connected }) => connected)).toEqual([]);
  expect(traces.flatMap((each, number) => elsewhere(each, `look-${number}`, work))).toEqual([]);
  expect(traces.flatMap(strangeReads)).toEqual([]);
  expect(traces[2]?.out).toContain(".pith/skills/outside resolves to a path outside the project");
  expect(harm()).toEqual([]);
});

test("TRU12 in a trusted hostile folder no key is sent to another host, and only its extensions run", async () => {
  const trusted = await run("trusting", [...SAYING, "--trust"], work);
  expect(trusted).toMatchObject({ code: 0, out: "done\n" });
  expect(trusted.notes).toContain("baseUrl cannot be set by a project");
  expect(new Set(trusted.connected)).toEqual(new Set([new URL(server.url).host]));
  expect(trusted.started.filter(isForeign)).toEqual([]);
  expect(strangeReads(trusted)).toEqual([]);
  // No server of tools among them: none was used.
  expect(harm()).toEqual(["extension"]);
});

async function run(name: string, args: readonly string[], cwd: string): Promise<ProgramTrace> {
  const PATH = [".", "", join(cwd, "bin"), join(cwd, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const home = { HOME: at("user"), PITH_HOME: at(`home-${name}`), TMPDIR: at("tmp") };
  const model = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
  return await traceProgram(args, { cwd, log: at(`${name}.log`), env: { PATH, ...home, ...model } });
}

/** What was changed on the disk but for Pith's home and the temporary folder. What a sandbox makes in its own view of the disk is no part of ours; the names it keeps free for a command are. */
function elsewhere({ changed }: ProgramTrace, name: string, cwd: string): readonly string[] {
  const own = [at(`home-${name}`), at("tmp"), "/proc", "/dev/null", "/newroot", "newroot", "oldroot", "pts"];
  const isOwn = (path: string): boolean => own.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const others = changed.filter((path) => !isOwn(path) && !PLACEHOLDER.test(path));
  return others.map((path) =>
    path
      .replace(cwd, "")
      .replace(/\.pith-[\d-]+/, ".pith-X")
      .replace(/pith-[\d-]+$/, "pith-N"),
  );
}

/** While a command runs, these keep what git would run out of the repository around the workspace. */
const PLACEHOLDER = /\/repo\/\.git\/(?:\.pith-[\d-]+|(?:commondir|config\.worktree)(?:\.pith)?)(?:\/pith-[\d-]+)?$/;

/** What the program itself read in the repository besides what it shows and names. */
function strangeReads({ opened }: ProgramTrace): readonly string[] {
  return opened.filter(
    (path) => path.startsWith(at("repo/")) && path !== work && !LOOKED_AT.test(path.slice(at("repo/").length)),
  );
}

// ENV2: of git's files HEAD for the name of the branch, and for the sandbox the settings, with what they include, and the references.
const LOOKED_AT =
  /^\.git\/(?:HEAD|ORIG_HEAD|config|packed-refs|refs\/.*|logs\/refs\/stash)$|^evil\.gitconfig$|^(?:packages\/site\/)?(?:AGENTS\.md|\.mcp\.json|\.agents\/skills\/.*|\.pith\/(?:settings\.json|mcp\.json|(?:skills|prompts|agents|extensions)\/.*))$/;

/** Of the folder, or of whatever place it is found in. */
function isForeign(program: string): boolean {
  return !program.startsWith("/") || program.startsWith(root);
}

function harm(): readonly string[] {
  return [...readdirSync(at("marks")), ...stolen];
}
