/** The program as a process: one question, tools that work in its folder, a session that is kept and gone on with. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";

let server: TestServer;
let folder: string;
let home: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-work-"));
  home = mkdtempSync(join(tmpdir(), "pith-home-"));
});

afterEach(async () => {
  await server?.close();
  for (const each of [folder, home]) rmSync(each, { recursive: true });
});

test("PRT1 works in its folder with its tools, prints the answer alone, and keeps the session", async () => {
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  const { code, out, notes } = await pith(
    ["-p", "What is in a.txt?"],
    [{ parts: [call("read", { path: "a.txt" }), call("bash", { command: "wc -l a.txt" })] }, "Two lines: one and two."],
  );
  expect({ code, out }).toEqual({ code: 0, out: "Two lines: one and two.\n" });
  expect(notes).toContain("· read a.txt");
  expect(JSON.stringify(server.served[1]?.body)).toContain("2 a.txt");
  const [file = ""] = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  expect(readFileSync(join(home, file), "utf8")).toContain("Two lines: one and two.");
});

test("PRT2 goes on where it stood, and the first request after a restart begins with the last one before it", async () => {
  await pith(["-p", "First."], ["One."]);
  const before = server.served.at(-1)?.body as { messages: readonly unknown[]; system: unknown; tools: unknown };
  await server.close();
  const { code, out } = await pith(["-p", "-c", "Second."], ["Two."]);
  expect({ code, out }).toEqual({ code: 0, out: "Two.\n" });
  const after = server.served.at(-1)?.body as typeof before;
  expect(unmarked(after.messages.slice(0, before.messages.length))).toEqual(unmarked(before.messages));
  expect(unmarked([after.system, after.tools])).toEqual(unmarked([before.system, before.tools]));
  expect(JSON.stringify(after.messages)).toContain("One.");
});

test("PRT3 says what is missing, and ends with the code for it", async () => {
  const keyless = await run(["-p", "hi"], {});
  expect(keyless).toMatchObject({ code: 2, notes: expect.stringContaining("set a key such as ANTHROPIC_API_KEY") });
  expect(await run(["-p"], {})).toMatchObject({ code: 2, notes: expect.stringContaining("what should it do?") });
  expect(await run(["--nonsense"], {})).toMatchObject({ code: 2 });
  expect(await run(["--help"], {})).toMatchObject({ code: 0, out: expect.stringContaining("pith -p -c") });
  const refused = await pith(["-p", "hi"], [{ refuse: { status: 401, message: "invalid x-api-key" } }]);
  expect(refused).toMatchObject({ code: 1, out: "", notes: expect.stringContaining("invalid x-api-key") });
});

test("PRT4 stopped with Ctrl-C it ends with 130 and keeps what was said", async () => {
  const slow: Step = { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } };
  const { code } = await pith(["-p", "Talk."], [slow], { stop: true });
  expect(code).toBe(130);
  const [file = ""] = readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  expect(readFileSync(join(home, file), "utf8")).toContain('"stopReason":"aborted"');
});

function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { type: "call", name, arguments: args } as const;
}

function unmarked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each) => (name === "cache_control" ? undefined : each)));
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
}

async function pith(
  args: readonly string[],
  script: readonly Step[],
  act: { readonly stop?: boolean } = {},
): Promise<Ended> {
  server = await startServer({ script });
  return run(args, { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url }, act);
}

/** Half a second after the server has been asked. */
async function stopOnceItSpeaks(child: ChildProcess): Promise<void> {
  while (server.served.length === 0) await sleep(50);
  await sleep(500);
  child.kill("SIGINT");
}

function run(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  act: { readonly stop?: boolean } = {},
): Promise<Ended> {
  const bin = join(import.meta.dirname, "../src/bin.ts");
  const env = { PATH: process.env.PATH, PITH_HOME: home, ...variables };
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  if (act.stop) void stopOnceItSpeaks(child);
  let out = "";
  let notes = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    notes += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, notes })));
}
