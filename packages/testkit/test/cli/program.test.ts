/** `pith-testkit` as people start it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { postJson } from "../server/post-json.ts";
import { type Program, startProgram } from "./start-program.ts";

let folder: string;
let started: Program[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-testkit-"));
  started = [];
});
afterEach(async () => {
  for (const { child } of started) child.kill("SIGKILL");
  await Promise.all(started.map(({ result }) => result));
  rmSync(folder, { recursive: true });
});

test("KIT7 without a script it repeats what it hears, prints where it listens, and ends when asked", async () => {
  const { child, url, result } = run();
  expect(await told(await url, "good morning")).toBe("You said: good morning");
  expect(await told(await url, "again")).toBe("You said: again");
  child.kill("SIGTERM");
  const { status, stdout, stderr } = await result;
  expect({ status, err: stderr }).toEqual({ status: 0, err: "" });
  expect(stdout).toContain(`ANTHROPIC_BASE_URL=${await url}\n`);
  expect(stdout).toContain(`OPENAI_BASE_URL=${await url}/v1\n`);
  expect(stdout).toContain(`GOOGLE_GEMINI_BASE_URL=${await url}\n`);
});

test("KIT7 Ctrl-C ends it, even while a reply is stuck", async () => {
  const { child, url, result } = run(script([{ parts: [], breaks: { how: "stall" } }]));
  const stuck = told(await url, "hello").catch(() => "gone");
  await new Promise((resolve) => setTimeout(resolve, 200));
  child.kill("SIGINT");
  expect([(await result).status, await stuck]).toEqual([0, "gone"]);
});

test.each([{ waitMs: 3_600_000 }, { everyMs: 3_600_000 }])(
  "KIT7 Ctrl-C ends it, even while a reply waits: %j",
  async (pace) => {
    const { child, url, result } = run(script([{ parts: [{ type: "text", text: "late" }], pace }]));
    const late = streamed(await url).catch(() => "gone");
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill("SIGINT");
    expect([(await result).status, await late]).toEqual([0, "gone"]);
  },
);

test("KIT7 with its parent it ends when standard input does, and otherwise it does not", async () => {
  const child = run("--with-parent");
  const alone = run();
  await child.url;
  child.child.stdin?.end();
  alone.child.stdin?.end();
  expect((await child.result).status).toBe(0);
  expect(await told(await alone.url, "still there?")).toBe("You said: still there?");
});

test("KIT7 the steps of a script come one by one, and the last one is repeated, or they begin again", async () => {
  const steps = ["one", { parts: [{ type: "text", text: "two" }], stop: "length" }];
  const plain = await run(script(steps)).url;
  const loop = await run(script({ steps, loop: true })).url;
  const three = async (url: string) => [await told(url, "a"), await told(url, "b"), await told(url, "c")];
  expect(await three(plain)).toEqual(["one", "two", "two"]);
  expect(await three(loop)).toEqual(["one", "two", "one"]);
});

test("KIT7 window, truncation, log, port and local server are as the flags say", async () => {
  const log = join(folder, "log.jsonl");
  const url = await run("--window", "100", "--truncate", "--log", log, "--local", "ollama").url;
  expect(await told(url, "x".repeat(4000))).toMatch(/^You said: x+$/);
  expect(JSON.parse(readFileSync(log, "utf8"))).toMatchObject({ outcome: "said", truncated: expect.any(Number) });
  expect((await postJson(`${url}/api/show`, { model: "test-model" })).status).toBe(200);
  const { status, stderr } = await run("--port", new URL(url).port).result;
  expect({ status, err: stderr }).toEqual({
    status: 2,
    err: expect.stringMatching(/^The server cannot start: .*EADDRINUSE/),
  });
});

test("KIT7 --help shows the flags, a script and examples", async () => {
  const { status, stdout, stderr } = await run("--help").result;
  expect({ status, err: stderr }).toEqual({ status: 0, err: "" });
  for (const word of ["--port", "--log", "--window", "--truncate", "--local", "--with-parent", '"refuse"', "Examples:"])
    expect(stdout).toContain(word);
});

test("KIT7 --version says which one it is", async () => {
  const { status, stdout } = await run("--version").result;
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect({ status, out: stdout }).toEqual({ status: 0, out: `${version}\n` });
});

test("KIT7 a log that cannot be written to ends it with a sentence", async () => {
  const { status, stderr } = await run("--log", join(folder, "nowhere", "log.jsonl")).result;
  expect(status).toBe(2);
  expect(stderr).toMatch(/^The log cannot be written to .*log\.jsonl: .*ENOENT.*\.\n$/);
  expect((await run("--log", folder).result).stderr).toMatch(/^The log cannot be written to .*EISDIR.*\.\n$/);
});

test.each([
  [["--prot", "1"], /^Unknown option '--prot'/],
  [["--port", "many"], /^--port takes a number, as in --port 8000; many is none\./],
  [["--truncate"], /^--truncate needs a --window/],
  [["--local", "llama"], /^--local takes ollama, llama\.cpp, lm-studio, vllm; llama is none of them\./],
  [["a.json", "b.json"], /^One script at a time/],
  [["nowhere.json"], /^The script cannot be read: .*nowhere\.json/],
] as const)("KIT7 %j is refused with what to write instead", async (words, message) => {
  const { status, stderr } = await run(...words).result;
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});

test("KIT7 a script with faults names every one of them, with its step and what to write instead", async () => {
  const { status, stderr } = await run(script(["fine", 7, { parts: [{ type: "tool" }] }, { refuse: { status: 200 } }]))
    .result;
  expect(status).toBe(2);
  expect(stderr.split("\n").map((line) => line.split(":")[0])).toEqual([
    "step 2 is 7",
    "step 3, part 1",
    "step 4",
    "step 4",
    "",
  ]);
  expect(stderr).toContain('step 3, part 1: type is "tool": write "text", "thinking", "call" or "search".');
});

function run(...words: readonly string[]): Program {
  const child = startProgram(...words);
  started.push(child);
  return child;
}

function script(value: unknown): string {
  const file = join(folder, `script-${started.length}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

async function streamed(url: string): Promise<string> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, stream: true, messages: [{ role: "user", content: "a" }] };
  const key = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
  return (await postJson(`${url}/v1/messages`, body, key)).text;
}

async function told(url: string, text: string): Promise<string> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: text }] };
  const reply = await postJson(`${url}/v1/messages`, body, { "x-api-key": "k", "anthropic-version": "2023-06-01" });
  return JSON.parse(reply.text).content[0].text;
}
