/** What the pages tell people to type works as it stands there: in an empty home, with the program as it is shipped and a model that answers anything. */

import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startServer, type TestServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseSettings } from "../../../host/src/settings/parse.ts";
import { codeBlocks } from "../support/code-blocks.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../../..");
const docs = join(root, "docs");
const pages = readdirSync(docs)
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, blocks: codeBlocks(readFileSync(join(docs, name), "utf8"), "sh") }))
  .filter(({ blocks }) => blocks.length > 0);

let place: string;
let server: TestServer;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), "pith-docs-"));
  await run(process.execPath, [join(root, "scripts/build-program.ts"), join(place, "program")], { cwd: root });
  mkdirSync(join(place, "bin"));
  const program = `#!/bin/sh\nexec ${process.execPath} ${join(place, "program/pith.mjs")} "$@"\n`;
  writeFileSync(join(place, "bin/pith"), program);
  chmodSync(join(place, "bin/pith"), 0o755);
  server = await startServer({ script: () => "That is done." });
});

afterAll(async () => {
  await server.close();
  rmSync(place, { recursive: true });
});

test("RUN16 the modules loaded at start do not include the summarizer", () => {
  const folder = join(place, "program");
  const starts = readdirSync(folder).filter((name) => name === "pith.mjs" || /^run-[^.]+\.mjs$/.test(name));
  expect(starts.length).toBeGreaterThan(1);
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const imports = readFileSync(join(folder, name), "utf8").matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
    for (const [, next = ""] of imports) load(next);
  };
  for (const name of starts) load(name);
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  expect([...loaded].filter((name) => text(name).includes(SYSTEM_BEGINS))).toEqual([]);
  // It is in the program all the same, so that the test looks for the right words.
  expect(readdirSync(folder).some((name) => name.endsWith(".mjs") && text(name).includes(SYSTEM_BEGINS))).toBe(true);
});

const SYSTEM_BEGINS = "You summarize a coding session";

test("DOC1 the pages with commands to type are found", () => {
  expect(pages.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["settings.md", "commands.md", "skills.md", "security.md"]),
  );
});

test.each(pages)("DOC1 every command line in $name works in an empty home", async ({ name, blocks }) => {
  const home = mkdtempSync(join(place, "home-"));
  const work = join(home, "project");
  mkdirSync(work);
  const env = {
    PATH: `${join(place, "bin")}:${process.env.PATH}`,
    HOME: home,
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: server.url,
  };
  for (const { line, text } of blocks) {
    const running = run("bash", ["-euo", "pipefail", "-c", text], { cwd: work, env, timeout: 120_000 });
    // Nobody pipes anything in.
    running.child.stdin?.end();
    const ended = await running.then(
      () => null,
      ({ stdout, stderr, code }) => `docs/${name}:${line} ends with ${code}\n${stdout}\n${stderr}`,
    );
    expect(ended).toBeNull();
  }
});

test.each([
  ["settings.md", "jsonc", 2],
  ["secrets.md", "json", 1],
  ["mcp.md", "json", 1],
])("DOC1 the settings shown in %s are valid settings", (name, language, count) => {
  const blocks = codeBlocks(readFileSync(join(docs, name), "utf8"), language);
  expect(blocks).toHaveLength(count);
  for (const { line, text } of blocks)
    expect(parseSettings(text, `docs/${name}:${line}`)).toMatchObject({ type: "read", notes: [] });
});
