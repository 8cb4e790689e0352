/** The typed client and the program it starts, as processes. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RpcClient, type RpcEvent } from "@pith/client";
import type { Step } from "@pith/testkit";
import { afterEach, beforeEach, test } from "vitest";
import { findBuiltProgram } from "../../../support/built-program.ts";
import { TestProgram } from "../../../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const bin = findBuiltProgram();
const slow: Step = { parts: [{ type: "text", text: "word ".repeat(500) }], pace: { everyMs: 20 } };
const late = (waitMs: number): Step => ({ parts: [{ type: "text", text: STORY }], pace: { waitMs } });
const STORY = "## Goal\nKeep it.\n\n## Progress\n### Done\n- Done.\n\n## Next Steps\n1. Go on.";

async function started(script: (request: { readonly tools: readonly string[] }) => Step) {
  const { url } = await program.serve(script);
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const client = RpcClient.start({ command: process.execPath, args: [bin, "--mode", "rpc"], cwd: program.folder, env });
  const events: RpcEvent[] = [];
  const wanted = new Map<string, () => void>();
  client.listen((event) => {
    events.push(event);
    wanted.get(event.type)?.();
  });
  const waitForEvent = (type: string): Promise<void> => new Promise((resolve) => wanted.set(type, resolve));
  return { client, events, waitForEvent };
}

test("RPC13 RPC7 a prompt is answered when it starts, its end is an event, and closing an idle program exits with 0", async () => {
  const { client, events, waitForEvent } = await started(() => "Hello.");
  const settled = waitForEvent("agent_settled");
  const answer = await client.send({ type: "prompt", message: "Hi." });
  assert.deepEqual(answer.success && answer.data, { disposition: "started" });
  await settled;
  const text = await client.send({ type: "get_last_assistant_text" });
  assert.deepEqual(text.success && text.data, { text: "Hello." });
  const handled = await client.send({ type: "prompt", message: "/name the talk" });
  assert.equal(handled.success && handled.data?.disposition, "handled");
  assert.equal(events[0]?.type, "session");
  assert.equal(typeof client.pid, "number");
  assert.deepEqual(await client.close(), { code: 0, signal: null });
  assert.equal((await client.send({ type: "get_state" })).success, false);
});

test("RPC11 RPC13 closing the input stops the run and saves the session", async () => {
  const { client, waitForEvent } = await started(() => slow);
  const begun = waitForEvent("message_update");
  await client.send({ type: "prompt", message: "Talk long." });
  await begun;
  assert.deepEqual(await client.close(), { code: 1, signal: null });
  assert.match(program.readSession(), /Talk long\..*aborted/s);
});

test("RPC7 RPC6 COM43 a compaction can be aborted; prompts during a compaction are queued in the log and sent after it", async () => {
  writeFileSync(
    join(program.home, "settings.json"),
    '{ "contextWindow": 8192, "compaction": { "keepRecentTokens": 600 } }',
  );
  const waits = [8_000, 1_000];
  const { client, waitForEvent } = await started(({ tools }) =>
    tools.length === 0 ? late(waits.shift() ?? 0) : "Done.",
  );
  for (const words of ["First", "Second", "Third"]) {
    const settled = waitForEvent("agent_settled");
    await client.send({ type: "prompt", message: `${words}: ${"more of the same story, ".repeat(250)}` });
    await settled;
  }
  const under = waitForEvent("compaction_progress");
  const stopped = client.send({ type: "compact" });
  await under;
  await client.send({ type: "abort" });
  assert.equal((await stopped).success, false);
  const again = waitForEvent("compaction_progress");
  const compacting = client.send({ type: "compact" });
  await again;
  const settled = waitForEvent("agent_settled");
  const queued = await client.send({ type: "prompt", message: "Meanwhile." });
  const steered = await client.send({ type: "steer", message: "And this." });
  assert.deepEqual(
    [queued, steered].map((answer) => answer.success && answer.data),
    Array(2).fill({
      disposition: "queued",
      note: "A compaction is in progress. Your message will be sent when it finishes.",
    }),
  );
  // COM43: what cannot wait is refused in the same words.
  const REFUSED = "a compaction is in progress; wait for it to finish, or stop it first";
  const refused = await Promise.all([
    client.send({ type: "compact" }),
    client.send({ type: "navigate_tree", entryId: null }),
    client.send({ type: "undo_compaction" }),
    client.send({ type: "redo_compaction" }),
  ]);
  assert.deepEqual(
    refused.map((answer) => !answer.success && answer.error),
    [`not compacted: ${REFUSED}`, REFUSED, REFUSED, REFUSED],
  );
  const commandResponse = await client.send({ type: "run_command", command: "/session" });
  assert.equal(commandResponse.success && commandResponse.data?.disposition, "handled");
  const state = await client.send({ type: "get_state" });
  assert.equal(state.success && state.data?.isCompacting, true);
  assert.equal((await compacting).success, true);
  await settled;
  assert.match(JSON.stringify(program.lastRequestBody()), /<summary>.*Meanwhile\..*And this\./s);
  const log = program.readSession();
  const [messageIndex, compacted] = ["Meanwhile.", '"type":"compaction"'].map((words) => log.indexOf(words));
  assert.ok(Number(messageIndex) > 0 && Number(messageIndex) < Number(compacted), "it is in the log at once");
  await client.close();
});

test("SET13 a branch summary keeps branchSummary.reserveTokens free, by default a quarter of the window (B25)", async () => {
  const summarized = async (branchSummary: object): Promise<readonly boolean[]> => {
    const settings = { contextWindow: 40_000, compaction: { enabled: false }, branchSummary };
    writeFileSync(join(program.home, "settings.json"), JSON.stringify(settings));
    const { client, waitForEvent } = await started(({ tools }) => (tools.length === 0 ? STORY : "Done."));
    for (const word of ["oldest", "middle", "newest"]) {
      const settled = waitForEvent("agent_settled");
      await client.send({ type: "prompt", message: `${word} ${"work on the parser ".repeat(2_800)}` });
      await settled;
    }
    const moved = await client.send({ type: "navigate_tree", entryId: null, summarize: true });
    assert.equal(moved.success, true);
    await client.close();
    const bodies = program.server.requests.map(({ body }) => JSON.stringify(body)).slice(3);
    return ["oldest", "newest"].map((word) => bodies.some((body) => body.includes(`${word} work on the parser`)));
  };
  assert.deepEqual(await summarized({}), [false, true]);
  assert.deepEqual(await summarized({ reserveTokens: 0.001 }), [true, true]);
});

test("RPC12 RPC3 standard output has only JSON lines, even after wrong arguments", async () => {
  const input = '{"id":"a","type":"get_permission_mode"}\r\n\n{"id":"b","type":"get_state"}';
  const { code, out } = await program.run(["--mode", "rpc", "--no-session", "/session"], { input });
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([code, lines.map(({ id, type }) => id ?? type)], [0, [lines[0].id, "command_result", "a", "b"]]);
  const unknown = await program.run(["--mode", "rpc", "--session", "nowhere"], { input: "" });
  assert.deepEqual([unknown.code, JSON.parse(unknown.out).type], [2, "error"]);
});
