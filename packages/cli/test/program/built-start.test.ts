/** The built program under strace: which of its files a start opens. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Step, startServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noisyPng } from "../../../agent/test/support/pictures.ts";
import { traceProgram } from "../support/trace-program.ts";

const place = mkdtempSync(join(tmpdir(), "pith-built-"));
const program = join(place, "program");
const build = join(import.meta.dirname, "../../../../scripts/build-program.ts");

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [build, program]);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

test("START1 a run opens three files of the program: the launcher, the common part and one provider", async () => {
  const server = await startServer({ script: ["Here I am.", "Here I am."] });
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const files = await programFiles(["-p", "Are you there?", "--sandbox", "off"], variables);
  await server.close();
  expect(server.requests.map(({ outcome }) => outcome)).toEqual(["said", "said"]);
  expect(files).toEqual(["pith.mjs", expect.stringMatching(/^run-/), expect.any(String)]);
});

test("START2 --version and --help load only the launcher and the help", async () => {
  for (const flag of ["--version", "--help", "-v", "-h"])
    expect(await programFiles([flag])).toEqual(["pith.mjs", expect.stringMatching(/^help-/)]);
});

test("FILE31 FILE32 the built program loads its libraries for other encodings and for large images", async () => {
  writeFileSync(join(place, "large.png"), noisyPng(2_400, 800));
  writeFileSync(join(place, "text.txt"), Buffer.from("Gr\u00fc\u00dfe aus Berlin\n", "latin1"));
  const reads: Step = { parts: [{ type: "call", name: "read", arguments: { path: "text.txt" } }] };
  const server = await startServer({ script: [reads, "Seen."] });
  const env = {
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: server.url,
    HOME: join(place, "home"),
    PATH: process.env.PATH,
  };
  const args = [join(program, "pith.mjs"), "-p", "look", "@large.png", "--sandbox", "off"];
  // Standard input is a pipe, which must end.
  const run = promisify(execFile)(process.execPath, args, { cwd: place, env });
  run.child.stdin?.end();
  expect((await run).stdout).toBe("Seen.\n");
  await server.close();
  const sent = JSON.stringify(server.requests.at(-1)?.body);
  expect(sent).toContain("shrunk from 2400×800");
  expect(sent).toContain("Grüße aus Berlin");
  expect(sent).toContain("[encoding: windows-1252; edit and write keep it]");
});

/** In the order in which they are opened, of a start whose compiled code is kept from an earlier one. */
async function programFiles(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const env = { ...variables, HOME: join(place, "home") };
  const starting = { cwd: place, log: join(place, "trace"), env, bin: join(program, "pith.mjs") };
  await traceProgram(args, starting);
  const { code, notes, opened } = await traceProgram(args, starting);
  expect({ code, notes }).toEqual({ code: 0, notes: expect.any(String) });
  return opened.filter((path) => dirname(path) === program).map((path) => basename(path));
}
