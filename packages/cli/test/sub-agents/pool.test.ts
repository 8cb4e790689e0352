/** Tests sub-agents/pool.ts: recovery, pool, concurrency limit. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RpcClient } from "@pith/client";
import { type Entry, Session, type Usage } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { createStore, nodeRuntime, openStore } from "@pith/context/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { parseSubAgentLog } from "../../src/sub-agents/log.ts";
import { recoverUnreported, Semaphore, type SubAgentPool } from "../../src/sub-agents/pool.ts";
import { createResultDetails } from "../../src/sub-agents/result.ts";
import { readTranscriptPage } from "../../src/sub-agents/session.ts";
import {
  bodyOf,
  callSubAgent,
  countIn,
  NO_SANDBOX,
  type StoredEntry,
  SubAgentProgram,
  taskOf,
  tasks,
  waitForEvent,
} from "./sub-agent-program.ts";

describe("recovery", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pith-recover-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const usage: Usage = { ...zeroUsage, input: 10, output: 5, totalTokens: 15 };
  const placed = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };

  async function ended(name: string, finalText: string): Promise<string> {
    const path = join(folder, `${name}.jsonl`);
    const opened = await createStore(path, { cwd: folder });
    if (opened.type !== "opened") throw new Error(opened.type);
    const session = await Session.open(opened.store, nodeRuntime);
    const by = { api: "anthropic-messages", provider: "p", model: "m", usage, timestamp: 0 } as const;
    const content = [{ type: "text", text: finalText }] as const;
    await session.append({ type: "message", message: { role: "user", content: "Look.", timestamp: 0 } });
    await session.append({ type: "message", message: { role: "assistant", content, stopReason: "stop", ...by } });
    await opened.store.close();
    return path;
  }

  test("AGT10 on recovery, the cost of a finished sub-agent is recorded once and its result reported once", async () => {
    const path = await ended("a", "Found it.");
    const data = { id: "a", agent: "scout", task: "Look.", path };
    const log: Entry[] = [{ ...placed, id: "1", type: "custom", customType: "subagent", data }];
    const pool: Pick<SubAgentPool, "recordUsage"> = {
      recordUsage: async (id, { usage: spent, model }) => {
        const whose = { kind: "subagent", provider: model?.provider ?? "", model: model?.model ?? "" };
        log.push({ ...placed, id: `u${log.length}`, type: "usage", ...whose, usage: spent, note: id });
      },
    };
    const untold = await recoverUnreported(parseSubAgentLog(log), { pool, file: null });
    assert.deepEqual(untold, [{ id: "a", agent: "scout", status: "done", text: "Found it." }]);
    assert.equal(
      (await recoverUnreported(parseSubAgentLog(log), { pool, file: null })).length,
      1,
      "paid, and not yet told",
    );
    const message = { customType: "subagent", content: "", display: true, details: createResultDetails(untold) };
    log.push({ ...placed, id: "t", type: "custom_message", ...message });
    assert.deepEqual(await recoverUnreported(parseSubAgentLog(log), { pool, file: null }), []);
    assert.equal(log.filter(({ type }) => type === "usage").length, 1);
    assert.deepEqual([...parseSubAgentLog(log).paidIds], ["a"]);
  });

  test("AGT10 a cost recorded on another branch is not recorded again", async () => {
    const path = await ended("d", "Found it.");
    const file = join(folder, "parent.jsonl");
    const opened = await createStore(file, { cwd: folder });
    assert.ok(opened.type === "opened");
    const session = await Session.open(opened.store, nodeRuntime);
    await session.append({ type: "usage", kind: "subagent", provider: "p", model: "m", usage, note: "d" });
    await opened.store.close();
    const paid: string[] = [];
    const pool = { recordUsage: async (id: string) => void paid.push(id) };
    const subAgents = ["d", "e"].map((id) => ({ id, agent: "scout", task: "Look.", path }));
    const untold = await recoverUnreported({ subAgents, reportedIds: new Set(), paidIds: new Set() }, { pool, file });
    assert.deepEqual([untold.length, paid], [2, ["e"]]);
  });

  test("AGT8 a transcript is read in pages of limited size without losing text", async () => {
    const path = await ended("b", `begin ${"wörter und mehr ".repeat(500)} end`);
    const first = await readTranscriptPage({ path, page: 1, maxBytes: 2_000 });
    assert.ok(first.type === "page" && first.pages > 3);
    const pages = await Promise.all(
      Array.from({ length: first.pages }, (_, at) => readTranscriptPage({ path, page: at + 1, maxBytes: 2_000 })),
    );
    const texts = pages.map((page) => (page.type === "page" ? page.text : ""));
    assert.ok(texts.every((text) => Buffer.byteLength(text) <= 2_000 && !text.includes("\ufffd")));
    assert.equal(texts.join("").split("wörter").length - 1, 500);
    const behind = await readTranscriptPage({ path, page: first.pages + 1, maxBytes: 2_000 });
    assert.deepEqual(behind, {
      type: "failed",
      why: `page ${first.pages + 1} does not exist; the last page is ${first.pages}`,
    });
  });

  test("AGT9 a sub-agent that still runs when its parent continues is awaited", async () => {
    const path = await ended("c", "Found it.");
    const opened = await openStore(path);
    assert.ok(opened.type === "opened");
    setTimeout(() => void opened.store.close(), 250);
    const begun = Date.now();
    const log = {
      subAgents: [{ id: "c", agent: "scout", task: "Look.", path }],
      reportedIds: new Set(""),
      paidIds: new Set(["c"]),
    };
    const [result] = await recoverUnreported(log, { pool: { recordUsage: async () => {} }, file: null });
    assert.ok(result?.status === "done" && Date.now() - begun >= 200);
  });

  test("AGT9 after kill -9 of the parent no sub-agent keeps running, and each result is reported once when the parent continues", async () => {
    const program = new SubAgentProgram();
    const childTexts = new Set<string>();
    const variables = await program.serveAgents({
      parent: ({ text, resultCount }) =>
        text.includes("Go.") && resultCount === 0 ? callSubAgent({ tasks: tasks(2) }) : "I see.",
      child: async ({ text }) => {
        childTexts.add(taskOf(text));
        return taskOf(text) === "Task 0." ? "Done with Task 0." : { parts: [], breaks: { how: "stall" } };
      },
    });
    const parent = program.rpc(variables, NO_SANDBOX);
    void parent.send({ type: "prompt", message: "Go." });
    while (childTexts.size < 2 || !program.hasSessionText("Task 0.", "Done with Task 0.")) await sleep(50);
    process.kill(parent.pid ?? 0, "SIGKILL");
    await parent.exited;
    for (let times = 0; times < 100 && program.children().length > 0; times += 1) await sleep(100);
    assert.deepEqual(program.children(), []);
    for (const words of ["And now?", "And then?"]) {
      const { out, notes } = await program.run(["-p", "-c", ...NO_SANDBOX, words], { variables });
      assert.equal(out, "I see.\n", notes);
    }
    const body = JSON.stringify(program.lastRequestBody());
    assert.equal(countIn(body, "Done with Task 0."), 1, body);
    assert.equal(countIn(body, "failed: the process that started it ended"), 1);
    const paid = program.parent().filter(({ type, kind }) => type === "usage" && kind === "subagent");
    assert.equal(paid.length, 1);
    await program.remove();
  });
});

describe("pool", () => {
  let program: SubAgentProgram;
  let client: RpcClient;
  const go = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const bodies: string[] = [];
  const write = { type: "call", name: "write", arguments: { path: "made.txt", content: "made" } } as const;

  /** One program for all that is done in it, one after the other. */
  beforeAll(async () => {
    program = new SubAgentProgram();
    writeFileSync(join(program.home, "settings.json"), '{ "contextWindow": 8192 }');
    const variables = await program.serveAgents({
      parent: (request) => {
        bodies.push(bodyOf(request));
        const { text, resultCount } = request;
        // Behind a result that was stopped it stands in one message with it.
        const isRead = bodyOf(request).includes(", page 1 of");
        if (text.includes("Read.") && !isRead) return callSubAgent({ read: program.started().at(-1)?.id ?? "" });
        if (resultCount > 0) return "I go on.";
        if (text.includes("Ask.")) return callSubAgent({ agent: "scout", task: "Write." });
        if (text.includes("Background.")) return callSubAgent({ tasks: tasks(2), background: true });
        if (text.includes("Stop.")) return callSubAgent({ agent: "scout", task: "Wait." });
        return "I go on.";
      },
      child: async ({ text, resultCount }) => {
        if (text === "Write.") return resultCount > 0 ? "Written." : { parts: [write] };
        if (text === "Wait.") {
          begun.resolve();
          return { parts: [], breaks: { how: "stall" } };
        }
        await go.promise;
        return `Done with ${taskOf(text)}`;
      },
    });
    client = program.rpc(variables, [...NO_SANDBOX, "--permission-mode", "ask"]);
  });
  afterAll(async () => {
    await client.close();
    await program.remove();
  });

  async function promptAndWait(message: string): Promise<boolean> {
    const settled = waitForEvent(client, "agent_settled");
    await client.send({ type: "prompt", message });
    return (await settled).aborted;
  }

  test("AGT4 a question of a sub-agent is answered by the user of its parent", async () => {
    const questionEvent = waitForEvent(client, "extension_ui_request", ({ method }) => method === "select");
    const settled = promptAndWait("Ask.");
    const question = await questionEvent;
    assert.ok(question.method === "select" && question.title.startsWith("scout: "), JSON.stringify(question));
    assert.equal(existsSync(join(program.folder, "made.txt")), false);
    client.respond({ type: "extension_ui_response", id: question.id, value: question.options[0] ?? "" });
    await settled;
    assert.equal(readFileSync(join(program.folder, "made.txt"), "utf8"), "made");
  });

  test("AGT11 background sub-agents survive a compaction, and each result is reported once", async () => {
    await promptAndWait("Background.");
    const compacted = waitForEvent(client, "compaction_end");
    await promptAndWait(`Keep this: ${"more of the same story, ".repeat(1_000)}`);
    assert.equal((await compacted).aborted, false);
    const open = program.started().slice(1);
    for (const { id } of open) assert.ok((bodies.at(-1) ?? "").includes(`- ${id} (scout): Task`), bodies.at(-1));
    // AGT9: so no start need look before the compaction.
    const mark = program.parent().findLast(({ customType, data }) => customType === "subagent" && Object(data).open);
    assert.deepEqual(
      Object(mark?.data).open.map((each: StoredEntry) => each.id),
      open.map(({ id }) => id),
    );
    const last = waitForEvent(client, "agent_settled", () => listReportedIds(program.parent()).length === 2);
    go.resolve();
    await last;
    assert.deepEqual(listReportedIds(program.parent()).toSorted(), open.map(({ id }) => id).toSorted());
    for (const task of ["Task 0.", "Task 1."]) assert.equal(countIn(bodies.at(-1) ?? "", `Done with ${task}`), 1);
  });

  test("AGT13 aborting the parent stops its sub-agents, and their transcripts can be read by page", async () => {
    const settled = promptAndWait("Stop.");
    await begun.promise;
    assert.equal(program.children().length, 1);
    await client.send({ type: "abort" });
    assert.equal(await settled, true);
    for (let times = 0; times < 50 && program.children().length > 0; times += 1) await sleep(100);
    assert.deepEqual(program.children(), []);
    await promptAndWait("Read.");
    const body = bodies.at(-1) ?? "";
    assert.ok(/\[[0-9a-f]{8}-subagent, page 1 of 1\]/.test(body), body);
    assert.ok(body.includes("user · ") && body.includes("Wait."));
  });

  /** The ids whose end stands in the log as a message, one for each time. */
  function listReportedIds(entries: readonly StoredEntry[]): readonly string[] {
    const own = entries.filter(({ type, customType }) => type === "custom_message" && customType === "subagent");
    return own
      .flatMap(({ details }) => (details as { readonly subAgents: readonly { id: string }[] }).subAgents)
      .map(({ id }) => id);
  }
});

describe("concurrency limit", () => {
  test("AGT6 a semaphore runs at most its number of tasks at once, in order, even after one that throws", async () => {
    const gate = new Semaphore(2);
    let inside = 0;
    let most = 0;
    const began: number[] = [];
    const one = (number: number) =>
      gate.run(async () => {
        began.push(number);
        most = Math.max(most, ++inside);
        await sleep(5);
        inside -= 1;
        if (number === 1) throw new Error("no");
      });
    await Promise.allSettled([0, 1, 2, 3, 4].map(one));
    assert.deepEqual([most, began], [2, [0, 1, 2, 3, 4]]);
  });
});
