/** Hostile strings through everything that makes a path, a name or a look-up of what it is given. */

import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileTools, ReadTracker, type Tool, type ToolCall } from "@pith/agent";
import { nodeFiles, sessionBlobs } from "@pith/agent/node";
import {
  createSession,
  findSession as findSessionById,
  forkSession,
  type JsonlStore,
  openStore,
  renameSession,
  sessionFolderName,
  sessionIdToFileName,
} from "@pith/context/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseSkill } from "../../../../host/src/resources/skills.ts";
import { parseTemplate } from "../../../../host/src/resources/templates.ts";
import type { CommandContext } from "../../../src/commands/command.ts";
import { runCommand } from "../../../src/commands/run-command.ts";
import { exportSession } from "../../../src/export/export-session.ts";
import { readFileBlocks } from "../../../src/resources/attachments.ts";
import { findSession } from "../../../src/sessions/find-session.ts";
import { hostileStrings, inherited } from "./hostile-strings.ts";

const SECRET = "what nobody may see";
const root = realpathSync(mkdtempSync(join(tmpdir(), "pith-strings-")));
const home = join(root, "a/home");
const cwd = join(root, "a/b/work");
const env = { PITH_HOME: home };
let session: string;
/** The same, open for readers. */
let store: JsonlStore;
let before: readonly string[];

beforeAll(async () => {
  for (const folder of [home, cwd]) mkdirSync(folder, { recursive: true });
  const secrets = ["secret", "secret.jsonl", ".ssh/id_ed25519", "etc/passwd"];
  for (const path of secrets.flatMap((name) => [join(root, name), join(root, "a", name), join(root, "a/b", name)])) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, SECRET);
  }
  const created = await createSession({ cwd, env });
  if (created.type !== "opened") throw new Error("no session was made");
  session = created.store.path;
  await created.store.close();
  const opened = await openStore(session, { mode: "follower" });
  if (opened.type !== "opened") throw new Error("the session cannot be read");
  store = opened.store;
  before = everything();
});

afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

test("PATH1 there are at least five hundred hostile strings", () => {
  expect(hostileStrings.length).toBeGreaterThanOrEqual(500);
});

describe("PATH1 a hostile session id", () => {
  test("is refused for a new session and for a fork, with a sentence and without creating a file", async () => {
    for (const id of hostileStrings) {
      for (const made of [await createSession({ cwd, env, id }), await forkSession(store, { env, id })]) {
        expect(made.type).toBe("unavailable");
        expect(made.type === "unavailable" && made.why).toMatch(SENTENCE);
      }
    }
    expect(everything()).toEqual(before);
  });

  test("in the header of a file leads to a hashed folder name", () => {
    const names = hostileStrings.map(sessionIdToFileName);
    for (const name of names) expect(name).toMatch(/^id-[0-9a-f]{32}$/);
    expect(new Set(names).size).toBe(names.length);
    expect(sessionIdToFileName("0191b5b5-22d5-7df0-86d0-ff0b110fbd9d")).toBe("0191b5b5-22d5-7df0-86d0-ff0b110fbd9d");
  });

  test("that is a working directory leads to one plain folder name", () => {
    for (const path of hostileStrings) {
      const name = sessionFolderName(path);
      expect(resolve("/x", name)).toBe(`/x/${name}`);
      expect(Buffer.byteLength(name)).toBeLessThan(256);
    }
  });
});

test("PATH2 a hostile string finds no session, and the answer is a sentence", async () => {
  for (const word of hostileStrings) {
    const found = await findSessionById(word, { env });
    expect(found).toMatchObject({ type: "none", why: expect.stringMatching(SENTENCE) });
    const named = await findSession(word, { cwd, home });
    // A path may be named, and then it is that file; who opens it finds no session in it.
    if (named.type === "found") expect(resolve(cwd, word)).toBe(named.path);
    else expect(named.message).toMatch(SENTENCE);
  }
});

test("PATH3 a hostile blob: or entry: reference opens no file", async () => {
  const read = readTool();
  for (const name of [...hostileStrings, ...inherited]) {
    for (const path of [`blob:${name}`, `entry:${name}`]) {
      const output = await read.run(call({ path }));
      expect(output.isError).toBe(true);
      expect(JSON.stringify(output.content)).not.toContain(SECRET);
    }
  }
});

test("PATH4 a hostile entry id is not found, and no fork is created", async () => {
  for (const leaf of [...hostileStrings, ...inherited])
    expect(await forkSession(store, { env, leaf })).toMatchObject({
      type: "no-entry",
      why: expect.stringMatching(SENTENCE),
    });
  expect(everything()).toEqual(before);
});

test("PATH5 any session name is accepted without moving the file", async () => {
  for (const name of hostileStrings.filter((_, at) => at % 10 === 0)) {
    const named = await renameSession(session, name, { env });
    expect(named.type).toBe("appended");
  }
  expect(everything()).toEqual(before);
});

describe("PATH6 hostile names of skills, templates and commands", () => {
  const bytes = new TextEncoder().encode("---\nname: a\ndescription: b\n---\ntext\n");

  test("load no skill and no template, with a note", () => {
    for (const folder of hostileStrings) {
      const { skill, notes } = parseSkill({ path: join(folder, "SKILL.md"), folder, bytes });
      expect(skill === null ? notes.length : /^[a-z0-9-]{1,64}$/.test(skill.name) && 1).toBe(1);
      const { template } = parseTemplate({ path: `/prompts/${folder}.md`, bytes });
      if (template) expect(template.name).toMatch(/^[\p{L}\p{N}-]+$/u);
    }
  });

  test("as commands are sent to the model or are mistakes, without a lookup", async () => {
    const untouched = new Proxy({} as CommandContext, {
      get: (_, name) => {
        // Those of extensions are compared by their names, and there are none.
        if (name === "extensions") return null;
        if (name === "templates") return { expand: async () => null, list: async () => [] };
        throw new Error(`${String(name)} was used`);
      },
    });
    for (const name of [...hostileStrings, ...inherited].filter((each) => !COMMANDS.test(each))) {
      const answer = await runCommand(`/${name}`, untouched);
      expect(answer === null || answer.type === "mistake" || answer.type === "prompt").toBe(true);
    }
  });
});

test("PATH7 a hostile @ path attaches a file or is a mistake, without waiting or endless reading", async () => {
  const files = nodeFiles({ root: cwd, maxBytes: 1_000_000 });
  for (const path of hostileStrings) {
    const found = await readFileBlocks(path, files);
    if (found.type === "mistake") expect(found.message).toMatch(SENTENCE);
  }
});

test("PATH8 a hostile export path writes inside the folder and overwrites nothing, or is a mistake", async () => {
  const inside = hostileStrings.filter((to) => !relative(cwd, resolve(cwd, to)).startsWith("..") && !to.includes(".."));
  const redaction = { redact: <Value>(value: Value): Value => value };
  let count = 0;
  for (const to of inside) {
    const done = await exportSession(session, { to, as: "markdown", cwd, redaction });
    if (done.type === "mistake") expect(done.message).toMatch(SENTENCE);
    else expect(dirname(done.path)).toMatch(new RegExp(`^${cwd}`));
    count += done.type === "exported" ? 1 : 0;
  }
  expect(readdirSync(cwd, { recursive: true }).length).toBe(count);
});

const SENTENCE = /\S \S/;
const COMMANDS = /^(?:help|quit|tree|settings|session|compact)\b/;

function readTool(): Tool {
  const files = nodeFiles({ root: cwd });
  const entries = { entry: async () => undefined, entryByNumber: async () => undefined };
  const tools = fileTools({ files, blobs: sessionBlobs(session), entries }, new ReadTracker());
  const tool = tools.find(({ name }) => name === "read");
  if (!tool) throw new Error("there is no read");
  return tool;
}

function call(given: Readonly<Record<string, unknown>>): ToolCall {
  return { id: "1", arguments: given, signal: new AbortController().signal } as unknown as ToolCall;
}

/** All that lies on the ground, but for what a session writes about itself. */
function everything(): readonly string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names
    .filter(
      (name) =>
        !name.includes(`.pith/${basename(session)}`) && basename(name) !== "list.json" && !name.startsWith("a/b/work/"),
    )
    .sort();
}
