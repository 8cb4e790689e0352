/** The RPC mode as a process, where somebody reads slowly, stops it, or is kept in a session. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLineSplitter } from "@pith/client";
import { story } from "@pith/context/testing";
import type { ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, test } from "vitest";
import { findBuiltProgram } from "../../support/built-program.ts";
import { TestProgram } from "../../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

interface Line {
  readonly type: string;
  readonly id?: string;
  readonly [field: string]: unknown;
}

const bin = findBuiltProgram();

/** JSON may have room at its end; long lines fill a pipe sooner. */
const PADDING = " ".repeat(800);

/** A program of which nothing is read before somebody says so. */
async function started(script: (request: Pick<ScriptRequest, "resultCount">) => Step) {
  const { url } = await program.serve(script);
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const child = spawn(process.execPath, [bin, "--mode", "rpc", "--permission-mode", "all"], {
    cwd: program.folder,
    env,
    stdio: "pipe",
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const received: Line[] = [];
  const lines = createLineSplitter();
  const read = (): void => {
    child.stdout.on("data", (chunk: Buffer) => {
      for (const piece of lines.push(chunk)) if (piece.type === "line") received.push(JSON.parse(`${piece.bytes}`));
    });
  };
  const waitForLine = async (isIt: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const found = received.find(isIt);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`it has ended; the last was ${JSON.stringify(received.at(-1))}`);
      await sleep(10);
    }
  };
  let sent = 0;
  const begin = (command: object): string => {
    const id = `n${++sent}`;
    child.stdin.write(`${JSON.stringify({ id, ...command })}${PADDING}\n`);
    return id;
  };
  const answer = async (id: string): Promise<Line> =>
    await waitForLine((line) => line.type === "response" && line.id === id);
  const send = async (command: object): Promise<Line> => await answer(begin(command));
  return { child, ended, received, read, waitForLine, begin, answer, send };
}

/** Together more than pipes hold. */
const MANY = 1_000;

/** A while after the model was asked. */
async function stalled(): Promise<void> {
  while (program.server.requests.length === 0) await sleep(20);
  await sleep(2_000);
}

const LONG = "word ".repeat(4_000);

const longReply: Step = {
  parts: [
    { type: "text", text: LONG },
    { type: "call", name: "bash", arguments: { command: "echo worked" } },
  ],
  pace: { chunk: 5 },
};

test("RPC14 a client that does not read pauses the run, which continues without loss once it reads", async () => {
  const { child, ended, received, read, waitForLine, begin, answer } = await started(({ resultCount }) =>
    resultCount === 0 ? longReply : "Done.",
  );
  const shell = begin({ type: "bash", command: "yes | head -c 5000000" });
  begin({ type: "prompt", message: "Talk long." });
  const stateRequests = Array.from({ length: MANY }, () => begin({ type: "get_state" }));
  await stalled();
  assert.ok(child.stdin.writableLength > 0, "commands are read though nobody reads their answers");
  assert.equal(program.server.requests.length, 1);
  assert.doesNotMatch(program.readSession().replaceAll(LONG, "…"), /toolResult/);
  read();
  await waitForLine(({ type }) => type === "agent_settled");
  for (const id of [shell, ...stateRequests]) assert.equal((await answer(id)).success, true);
  child.stdin.end();
  assert.equal(await ended, 0);
  assert.equal(program.server.requests.length, 2);
  const updates = received.flatMap((line) =>
    line.type === "message_update" ? [Object(line.assistantMessageEvent)] : [],
  );
  assert.equal(updates.flatMap(({ type, delta }) => (type === "text_delta" ? [delta] : [])).join(""), `${LONG}Done.`);
});

test("RPC11 RPC14 SIGTERM ends the program even if the client does not read", async () => {
  const { child, ended, begin } = await started(() => longReply);
  begin({ type: "prompt", message: "Talk long." });
  for (let count = 0; count < MANY; count += 1) begin({ type: "get_state" });
  await stalled();
  child.kill("SIGTERM");
  assert.equal(await Promise.race([ended, sleep(5_000, "still there")]), 143);
});

const KEEPER = `
let keeps = false;
export default (pith) => {
  pith.registerCommand("keep", { description: "keeps", run: () => { keeps = true; } });
  pith.registerCommand("let", { description: "lets go", run: () => { keeps = false; } });
  pith.registerCommand("hang", { description: "hangs", run: () => new Promise(() => {}) });
  pith.registerCommand("pick", { description: "asks", run: async (_, { ui }) => "picked " + await ui.select("Which?", ["a"]) });
  pith.on("session_before_switch", () => ({ cancel: keeps }));
  pith.on("session_before_fork", () => ({ cancel: keeps }));
};
`;

test("RPC15 RPC16 RPC7 RPC6 switching sessions respects extensions and uses each session's folder, and a hanging extension does not block an abort", async () => {
  mkdirSync(join(program.home, "extensions"));
  writeFileSync(join(program.home, "extensions", "keeper.ts"), KEEPER);
  const other = realpathSync(mkdtempSync(join(tmpdir(), "pith-other-")));
  const { createSession } = await import("@pith/context/node");
  const made = await createSession({ cwd: other, env: { PITH_HOME: program.home } });
  assert.ok(made.type === "opened");
  await made.store.close();
  const { child, ended, read, waitForLine, begin, answer, send } = await started(() => "Done.");
  read();
  // Where no run is under way, steering begins one.
  assert.deepEqual((await send({ type: "steer", message: "Go." })).data, { disposition: "started" });
  await waitForLine(({ type }) => type === "agent_settled");
  const state = async () => Object((await send({ type: "get_state" })).data);
  const [entry] = Object((await send({ type: "get_fork_messages" })).data).messages;
  const first = (await state()).sessionFile;
  await send({ type: "prompt", message: "/keep" });
  for (const command of [
    { type: "new_session" },
    { type: "switch_session", sessionPath: made.store.path },
    { type: "fork", entryId: entry.entryId },
    { type: "clone" },
  ])
    assert.equal(Object((await send(command)).data).cancelled, true, command.type);
  assert.equal((await state()).sessionFile, first);
  await send({ type: "prompt", message: "/let" });
  const folder = async () => Object((await send({ type: "bash", command: "pwd" })).data).output;
  const chosen = { steeringMode: "one-at-a-time", followUpMode: "all", autoCompactionEnabled: false };
  await send({ type: "set_steering_mode", mode: chosen.steeringMode });
  await send({ type: "set_follow_up_mode", mode: chosen.followUpMode });
  await send({ type: "set_auto_compaction", enabled: false });
  await send({ type: "set_permission_mode", mode: "plan" });
  assert.deepEqual((await send({ type: "switch_session", sessionPath: made.store.path })).data, { cancelled: false });
  assert.equal(await folder(), other);
  await send({ type: "new_session" });
  assert.equal(await folder(), other);
  const { steeringMode, followUpMode, autoCompactionEnabled } = await state();
  assert.deepEqual({ steeringMode, followUpMode, autoCompactionEnabled }, chosen);
  assert.deepEqual((await send({ type: "get_permission_mode" })).data, { mode: "plan" });
  await send({ type: "switch_session", sessionPath: first });
  assert.equal(await folder(), realpathSync(program.folder));
  rmSync(other, { recursive: true });
  const gone = await send({ type: "switch_session", sessionPath: made.store.path });
  assert.match(String(gone.error), /this session's folder no longer exists.*--session/);
  assert.equal((await state()).sessionFile, first);
  const sleeping = Array.from({ length: 1_000 }, () => begin({ type: "bash", command: "sleep 60" }));
  assert.match(String((await send({ type: "get_state" })).error), /1000 commands are pending.*abort_bash/);
  assert.equal((await send({ type: "abort_bash" })).success, true);
  for (const id of sleeping) assert.equal(Object((await answer(id)).data).cancelled, true);
  const picking = begin({ type: "prompt", message: "/pick" });
  await waitForLine(({ type, method }) => type === "extension_ui_request" && method === "select");
  assert.equal((await send({ type: "abort" })).success, true);
  assert.equal(Object((await answer(picking)).data).text, "picked undefined");
  begin({ type: "prompt", message: "/hang" });
  assert.equal((await send({ type: "abort" })).success, true);
  child.stdin.end();
  assert.equal(await Promise.race([ended, sleep(10_000, "still there")]), 1);
});

test("RPC17 no line has a secret of an older session or one that an error quotes", async () => {
  const secret = ["f7Kq", "9ZtLw2", "mB4xRj8"].join("-");
  const entries = story(`user: the token is ${secret}`, `says: I will use ${secret}.`);
  const header = { type: "session", version: 3, id: "older", timestamp: entries[0]?.timestamp, cwd: program.folder };
  const path = join(program.home, "older.jsonl");
  const lines = [header, ...entries.map(({ number: _, ...line }) => line)];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const commands = [
    { id: "messages", type: "get_messages" },
    { id: "label", type: "set_label", entryId: secret, label: "x" },
    { id: "unknown", type: secret },
    // The error is cut after 4,000 characters, within the secret.
    { id: "long", type: "switch_session", sessionPath: `/${"x".repeat(3_985)}${secret}` },
  ];
  const { out } = await program.run(["--mode", "rpc", "--session", path, `/model ${secret}`], {
    variables: { ANTHROPIC_API_KEY: "any", BUILD_TOKEN: secret },
    input: commands.map((command) => `${JSON.stringify(command)}\n`).join(""),
  });
  const outLines = out.trimEnd().split("\n");
  const isAnswer = /"type":"(?:response|error|command_result)"/;
  assert.equal(outLines.filter((line) => isAnswer.test(line)).length, commands.length + 2);
  assert.deepEqual(
    outLines.filter((line) => line.includes(secret.slice(0, 4))),
    [],
  );
});

test("RPC17 updates of a shell command have no secrets of its command line or its output", async () => {
  const secret = ["f7Kq", "9ZtLw2", "mB4xRj8"].join("-");
  const { out } = await program.run(["--mode", "rpc"], {
    variables: { ANTHROPIC_API_KEY: "any", BUILD_TOKEN: secret },
    input: `${JSON.stringify({ id: "shell", type: "bash", command: `echo used ${secret}` })}\n`,
  });
  const updates = out.split("\n").filter((line) => line.includes('"type":"bash_execution_update"'));
  assert.ok(updates.some((line) => line.includes('"output":"used PITH_SECRET_')));
  assert.doesNotMatch(out, new RegExp(secret));
});
