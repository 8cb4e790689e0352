/** Tests the `pith-testkit` command as a process. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { postJson } from "../support/requests.ts";

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

test("KIT7 without a script it echoes the user's text, prints its address, and stops on SIGTERM", async () => {
  const { child, url, result } = start();
  expect(await ask(await url, "good morning")).toBe("You said: good morning");
  expect(await ask(await url, "again")).toBe("You said: again");
  child.kill("SIGTERM");
  const { status, stdout, stderr } = await result;
  expect({ status, err: stderr }).toEqual({ status: 0, err: "" });
  expect(stdout).toContain(`ANTHROPIC_BASE_URL=${await url}\n`);
  expect(stdout).toContain(`OPENAI_BASE_URL=${await url}/v1\n`);
  expect(stdout).toContain(`GOOGLE_GEMINI_BASE_URL=${await url}\n`);
});

test("KIT7 Ctrl-C stops it during a stalled reply", async () => {
  const { child, url, result } = start(script([{ parts: [], breaks: { how: "stall" } }]));
  const stuck = ask(await url, "hello").catch(() => "gone");
  await new Promise((resolve) => setTimeout(resolve, 200));
  child.kill("SIGINT");
  expect([(await result).status, await stuck]).toEqual([0, "gone"]);
});

test.each([{ waitMs: 3_600_000 }, { everyMs: 3_600_000 }])(
  "KIT7 Ctrl-C stops it while a reply waits: %j",
  async (pace) => {
    const { child, url, result } = start(script([{ parts: [{ type: "text", text: "late" }], pace }]));
    const late = readStreamedText(await url).catch(() => "gone");
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill("SIGINT");
    expect([(await result).status, await late]).toEqual([0, "gone"]);
  },
);

test("KIT7 stops at the end of standard input only with --with-parent", async () => {
  const child = start("--with-parent");
  const alone = start();
  await child.url;
  child.child.stdin?.end();
  alone.child.stdin?.end();
  expect((await child.result).status).toBe(0);
  expect(await ask(await alone.url, "still there?")).toBe("You said: still there?");
});

test("KIT7 takes the steps of a script in order, then repeats the last one or starts again", async () => {
  const steps = ["one", { parts: [{ type: "text", text: "two" }], stop: "length" }];
  const plain = await start(script(steps)).url;
  const loop = await start(script({ steps, loop: true })).url;
  const three = async (url: string) => [await ask(url, "a"), await ask(url, "b"), await ask(url, "c")];
  expect(await three(plain)).toEqual(["one", "two", "two"]);
  expect(await three(loop)).toEqual(["one", "two", "one"]);
});

test("KIT7 flags set the window, truncation, log, port and local server", async () => {
  const log = join(folder, "log.jsonl");
  const url = await start("--window", "100", "--truncate", "--log", log, "--local", "ollama").url;
  expect(await ask(url, "x".repeat(4000))).toMatch(/^You said: x+$/);
  expect(JSON.parse(readFileSync(log, "utf8"))).toMatchObject({ outcome: "said", truncated: expect.any(Number) });
  expect((await postJson(`${url}/api/show`, { model: "test-model" })).status).toBe(200);
  const { status, stderr } = await start("--port", new URL(url).port).result;
  expect({ status, err: stderr }).toEqual({
    status: 2,
    err: expect.stringMatching(/^The server cannot start: .*EADDRINUSE/),
  });
});

test("KIT7 --help shows the flags, a script and examples", async () => {
  const { status, stdout, stderr } = await start("--help").result;
  expect({ status, err: stderr }).toEqual({ status: 0, err: "" });
  for (const word of ["--port", "--log", "--window", "--truncate", "--local", "--with-parent", '"refuse"', "Examples:"])
    expect(stdout).toContain(word);
});

test("KIT7 --version prints the version", async () => {
  const { status, stdout } = await start("--version").result;
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect({ status, out: stdout }).toEqual({ status: 0, out: `${version}\n` });
});

test("KIT7 exits with a message if the log cannot be written", async () => {
  const { status, stderr } = await start("--log", join(folder, "nowhere", "log.jsonl")).result;
  expect(status).toBe(2);
  expect(stderr).toMatch(/^The log cannot be written to .*log\.jsonl: .*ENOENT.*\.\n$/);
  expect((await start("--log", folder).result).stderr).toMatch(/^The log cannot be written to .*EISDIR.*\.\n$/);
});

test.each([
  [["--prot", "1"], /^Unknown option '--prot'/],
  [["--port", "many"], /^--port takes a number, as in --port 8000, but got many\./],
  [["--truncate"], /^--truncate needs --window/],
  [["--local", "llama"], /^--local takes one of ollama, llama\.cpp, lm-studio, vllm, but got llama\./],
  [["a.json", "b.json"], /^pith-testkit takes one script, but got 2/],
  [["nowhere.json"], /^The script cannot be read: .*nowhere\.json/],
] as const)("KIT7 the arguments %j are refused with what to write instead", async (words, message) => {
  const { status, stderr } = await start(...words).result;
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});

test("KIT7 lists every mistake of a script with its step and a valid value", async () => {
  const { status, stderr } = await start(
    script(["fine", 7, { parts: [{ type: "tool" }] }, { refuse: { status: 200 } }]),
  ).result;
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

function start(...words: readonly string[]): Program {
  const child = startProgram(...words);
  started.push(child);
  return child;
}

function script(value: unknown): string {
  const file = join(folder, `script-${started.length}.json`);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

async function readStreamedText(url: string): Promise<string> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, stream: true, messages: [{ role: "user", content: "a" }] };
  const key = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
  return (await postJson(`${url}/v1/messages`, body, key)).text;
}

async function ask(url: string, text: string): Promise<string> {
  const body = { model: "claude-sonnet-4-5", max_tokens: 100, messages: [{ role: "user", content: text }] };
  const reply = await postJson(`${url}/v1/messages`, body, { "x-api-key": "k", "anthropic-version": "2023-06-01" });
  return JSON.parse(reply.text).content[0].text;
}

interface ProcessResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Program {
  readonly child: ChildProcess;
  /** The address that it prints. Rejects if the process ends without one. */
  readonly url: Promise<string>;
  readonly result: Promise<ProcessResult>;
}

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

function startProgram(...args: readonly string[]): Program {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (bytes) => {
    stderr += bytes;
  });
  const result = new Promise<ProcessResult>((resolve) =>
    child.once("close", (status) => resolve({ status, stdout, stderr })),
  );
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (bytes) => {
      stdout += bytes;
      const address = /listening on (http:\S+)\n/.exec(stdout)?.[1];
      if (address !== undefined) resolve(address);
    });
    result.then(() => reject(new Error(`it ended: ${stderr}`)));
  });
  // A test that only waits for the exit does not handle the rejection of the address.
  url.catch(() => {});
  return { child, url, result };
}
