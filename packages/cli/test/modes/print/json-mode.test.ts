/** The JSON mode as a process: every event a line, whatever happens, and every event there is. */

import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Session } from "@pith/context";
import { QUEUE_TYPE } from "@pith/context/host";
import { nodeRuntime, openStore } from "@pith/context/node";
import { story } from "@pith/context/testing";
import type { ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSampleSecrets } from "../../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { findBuiltProgram } from "../../support/built-program.ts";
import { TestProgram } from "../../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

const linesOf = (out: string): readonly Line[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
const typesOf = (lines: readonly Line[]): readonly string[] => lines.map(({ type }) => type);
const busy: Step = { refuse: { status: 529, message: "Overloaded", headers: { "retry-after": "0" } } };
const call = (name: string, args: Readonly<Record<string, unknown>>) =>
  ({ type: "call", name, arguments: args }) as const;

/** Runs with a server that answers by what it is asked. */
async function json(
  words: readonly string[],
  script: (request: ScriptRequest) => Step = () => "Done.",
): Promise<readonly Line[]> {
  const { url } = await program.serve(script);
  const { out } = await program.run(["--mode", "json", ...words], {
    variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
  });
  return linesOf(out);
}

test("JSON1 JSON mode prints the session and then every event on its own line, in pi's shapes", async () => {
  const steps: readonly Step[] = [
    busy,
    {
      parts: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "Odd: \u2028\u0085\u202e" },
        call("bash", { command: "echo hi" }),
      ],
    },
    "Done.",
  ];
  const { code, out, notes } = await program.runWithScript(["--mode", "json", "Say \u2028 it."], steps);
  const lines = linesOf(out);
  expect({ code, notes }).toEqual({ code: 0, notes: "" });
  expect(out).not.toMatch(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--\n]/v);
  expect(lines[0]).toMatchObject({ type: "session", version: 3, cwd: program.folder });
  expect(program.readSession()).toContain(String(lines[0]?.id));
  const types = typesOf(lines).filter((type) => !["entry_appended", "message_update"].includes(type));
  expect(types).toEqual([
    ...["session", "agent_start", "message_start", "message_end", "turn_start", "message_start"],
    ...["auto_retry_start", "auto_retry_end", "message_end", "tool_execution_start", "tool_execution_update"],
    ...["tool_execution_end", "message_start", "message_end", "turn_end"],
    ...["turn_start", "message_start", "message_end", "turn_end", "agent_end", "agent_settled"],
  ]);
  const pieces = lines.flatMap((line) => (line.type === "message_update" ? [line.assistantMessageEvent as Line] : []));
  const texts = pieces.filter(({ type }) => type === "text_delta").map(({ delta }) => delta);
  expect(texts.join("")).toBe("Odd: \u2028\u0085\u202eDone.");
  expect(pieces.find(({ type }) => type === "toolcall_end")).toMatchObject({ toolCall: { name: "bash" } });
  expect(lines.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    result: { content: [{ type: "text", text: "hi" }], details: { exitCode: 0 } },
  });
});

test("JSON2 an error before the session is one line with exit code 2; a failed run ends with an error line", async () => {
  const keyless = await program.run(["--mode", "json", "hi"]);
  expect(keyless).toMatchObject({ code: 2, notes: expect.stringContaining("ANTHROPIC_API_KEY") });
  expect(linesOf(keyless.out)).toMatchObject([{ type: "error", error: expect.stringContaining("ANTHROPIC_API_KEY") }]);
  const unclear = await program.run(["--mode=json", "--bogus", "hi"]);
  expect(unclear).toMatchObject({ code: 2, notes: expect.stringContaining("--bogus") });
  expect(linesOf(unclear.out)).toMatchObject([{ type: "error", error: expect.stringContaining("--bogus") }]);
  const refused = await program.runWithScript(
    ["--mode", "json", "hi"],
    [{ refuse: { status: 401, message: "invalid x-api-key" } }],
  );
  expect(refused.code).toBe(1);
  expect(linesOf(refused.out).slice(-3)).toMatchObject([
    { type: "agent_end", end: { type: "failed" } },
    { type: "agent_settled" },
    { type: "error", error: expect.stringContaining("invalid x-api-key") },
  ]);
});

describe("JSON3 commands", () => {
  test.skipIf(process.platform === "win32")("JSON3 a full disk is the error of the command result", async () => {
    await program.runWithScript(["-p", "hi"], ["Hello."]);
    const bin = findBuiltProgram();
    const line = 'trap "" XFSZ; ulimit -f 1; exec "$0" "$1" --mode json -c "/thinking high"';
    const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ANTHROPIC_API_KEY: "any" };
    const { status, stdout } = spawnSync("bash", ["-c", line, process.execPath, bin], { cwd: program.folder, env });
    expect(status).toBe(1);
    expect(linesOf(String(stdout)).slice(-2)).toMatchObject([
      { type: "command_result", success: false, error: expect.stringContaining("the disk is full") },
      { type: "error" },
    ]);
  });

  test("JSON3 PRT14 answer with one line, without a key if they need no model, and without saving a session", async () => {
    const help = await program.run(["--mode", "json", "/help"]);
    expect(help.code).toBe(0);
    expect(linesOf(help.out)).toMatchObject([
      { type: "session" },
      { type: "command_result", command: "/help", success: true, text: expect.stringContaining("/compact") },
    ]);
    expect(() => program.readSession()).toThrow("there are 0 sessions");
    const wrong = await program.run(["--mode", "json", "/compcat"]);
    expect(wrong.code).toBe(2);
    expect(linesOf(wrong.out).at(-2)).toMatchObject({ success: false, error: expect.stringContaining("/compact?") });
    const printed = await program.run(["-p", "/help"]);
    expect(printed).toMatchObject({ code: 0, notes: "", out: expect.stringContaining("/compact") });
  });

  test("JSON3 a line that is not a command is sent to the model", async () => {
    const lines = await json(["/usr/bin/x is broken"]);
    expect(typesOf(lines)).toContain("agent_end");
    expect(JSON.stringify(program.lastRequestBody())).toContain("/usr/bin/x is broken");
  });
});

test("JSON4 a closed output ends the run silently with exit code 141", async () => {
  const slow: Step = { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } };
  const { code, notes } = await program.runWithScript(["--mode", "json", "Talk."], [slow], { closesOutput: true });
  expect({ code, notes }).toEqual({ code: 141, notes: "" });
  expect(program.readSession()).toContain("Talk.");
});

test("JSON4 a reader that does not read pauses the run, and gets every event once it reads", async () => {
  let requestCount = 0;
  const words = { type: "text", text: "word ".repeat(8_000) } as const;
  const { url } = await program.serve(() => {
    requestCount += 1;
    return requestCount < 4 ? { parts: [words, call("bash", { command: "echo hi" })] } : "Done.";
  });
  const bin = findBuiltProgram();
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const child = spawn(process.execPath, [bin, "--mode", "json", "Go."], {
    cwd: program.folder,
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.stdout.pause();
  const ended = new Promise((resolve) => child.on("close", resolve));
  for (let times = 0; requestCount === 0 && times < 400; times += 1) await sleep(50);
  await sleep(1_000);
  expect(requestCount).toBeLessThan(4);
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stdout.resume();
  expect(await ended).toBe(0);
  expect([requestCount, typesOf(linesOf(out)).at(-1)]).toEqual([4, "agent_settled"]);
});

describe("JSON5 a context that grows too long", () => {
  const words = (count: number): string => `Keep this: ${"more of the same story, ".repeat(count)}`;

  beforeEach(() => {
    writeFileSync(
      join(program.home, "settings.json"),
      '{ "contextWindow": 8192, "compaction": { "softPercent": 60 } }',
    );
  });

  test("JSON5 prints the events from the soft threshold to the redo of the compaction", async () => {
    const soft = await json([words(600)]);
    expect(typesOf(soft)).toContain("compaction_soft_threshold");
    let summaries = 0;
    const full = await json(["-c", words(500)], ({ tools }) => {
      if (tools.length > 0) return "Done.";
      summaries += 1;
      return summaries === 1 ? busy : { parts: [{ type: "text", text: " " }] };
    });
    const end = full.find(({ type }) => type === "compaction_end");
    expect(end).toMatchObject({
      reason: "threshold",
      aborted: false,
      calls: 1,
      result: { summary: expect.any(String) },
    });
    const types = typesOf(full).filter((type) => /^(compaction|summarization)_/.test(type));
    expect(types).toEqual([
      "compaction_start",
      ...["compaction_progress", "compaction_progress"],
      ...["summarization_retry_scheduled", "summarization_retry_attempt_start", "summarization_retry_finished"],
      "compaction_progress",
      ...["compaction_end", "compaction_quality"],
    ]);
    expect(typesOf(await json(["-c", "/undo"]))).toContain("compaction_undone");
    const off = await json(["-c", "--no-auto-compact", "And now?"]);
    expect(off.find(({ type }) => type === "compaction_skipped")).toMatchObject({ why: "off" });
    expect(typesOf(await json(["-c", "/redo"]))).toContain("compaction_redone");
  });

  test("JSON5 prints compaction_failed if every request is refused, and the run fails", async () => {
    const lines = await json(["Work."], () => ({
      refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" },
    }));
    const failed = lines.findIndex(({ type }) => type === "compaction_failed");
    expect(lines[failed]).toMatchObject({ reason: "overflow", code: "cannot-fit" });
    expect(lines[failed + 1]).toMatchObject({ type: "error" });
  });
});

test("JSON6 events outside a run are printed: a move with its summary and usage, a thinking level, a queued message", async () => {
  const [secret] = createSampleSecrets(1, createSeededRandom(7));
  const first = await json([`Keep it to yourself: ${secret?.text}`]);
  expect(typesOf(first)).toContain("secrets_redacted");
  const moved = await json(["-c", "/tree root --summary"], () => STORY);
  const types = typesOf(moved).filter((type) => !["entry_appended", "branch_summary_progress", "usage"].includes(type));
  expect(types).toEqual(["session", "leaf_moved", "session_tree", "command_result"]);
  expect(moved.find(({ type }) => type === "usage")).toMatchObject({ kind: "branch_summary", provider: "anthropic" });
  expect(typesOf(await json(["-c", "/thinking low"]))).toContain("thinking_level_changed");
  const shown = await json(["-c", "/session"]);
  await enqueue(Object(shown.at(-1)?.data).file, "Do not forget this.");
  const waited = await json(["-c", "Go on."]);
  expect(waited.find(({ type }) => type === "queue_update")).toMatchObject({ steering: [], followUp: [] });
  expect(JSON.stringify(program.lastRequestBody())).toMatch(/Do not forget this\..*Go on\./);
});

const STORY = "## Goal\nKeep it.\n\n## Progress\n### Done\n- Done.\n\n## Next Steps\n1. Go on.";

async function enqueue(path: string, content: string): Promise<void> {
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`${path} cannot be opened`);
  const session = await Session.open(opened.store, nodeRuntime);
  await session.append({
    type: "custom",
    customType: QUEUE_TYPE,
    data: { id: nodeRuntime.entryId(), kind: "followUp", content },
  });
  await opened.store.close();
}

test("SEC11 the output has no secrets of a session saved without redaction, and none that an error quotes", async () => {
  const secret = ["f7Kq", "9ZtLw2", "mB4xRj8"].join("-");
  const entries = story(`user: the token is ${secret}`, `says: I will use ${secret}.`);
  const header = { type: "session", version: 3, id: "older", timestamp: entries[0]?.timestamp, cwd: program.folder };
  const path = join(program.home, "older.jsonl");
  const lines = [header, ...entries.map(({ number: _, ...line }) => line)];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const variables = { ANTHROPIC_API_KEY: "any", BUILD_TOKEN: secret };
  const tree = await program.run(["-p", "--session", path, "/tree"], { variables });
  const model = await program.run(["--mode", "json", "--session", path, `/model ${secret}`], { variables });
  expect(tree).toMatchObject({ code: 0, out: expect.stringContaining("the token is PITH_SECRET_") });
  expect(model).toMatchObject({ code: 2, notes: expect.stringContaining('no model matches "PITH_SECRET_') });
  const [result, error] = model.out
    .trimEnd()
    .split("\n")
    .slice(-2)
    .map((line) => JSON.parse(line));
  expect(result).toMatchObject({ type: "command_result", command: expect.stringContaining("/model PITH_SECRET_") });
  expect(error).toMatchObject({ type: "error", error: expect.stringContaining('no model matches "PITH_SECRET_') });
  expect(JSON.stringify([tree, model])).not.toContain(secret);
});
