/** Tests moves in the tree and the files that the session changed. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactionLimits, messageTokens } from "@pith/context";
import type { TokenAmount } from "@pith/context/host";
import { emptyUsage, scriptedModel } from "@pith/context/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileTools } from "../../src/index.ts";
import { nodeFiles, originalsFolder } from "../../src/node/index.ts";
import { createTestAgent, heldModel, heldWriter, quiet, type TestAgent, text } from "../support/held-agent.ts";
import { runToEnd } from "../support/served-agents.ts";

let folder: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-move-"));
  kept = mkdtempSync(join(tmpdir(), "pith-kept-"));
});
afterEach(() => {
  for (const each of [folder, kept]) rmSync(each, { recursive: true });
});

test("RUN9 a move previews which files it would restore and restores them, and so does the move back", async () => {
  const { test, start, end } = await written();
  expect(await test.agent.previewFileRestore(start)).toMatchObject([{ path: join(folder, "a.txt"), type: "remove" }]);
  expect(await test.agent.navigateTree(start, { restoreFiles: true })).toMatchObject({
    type: "moved",
    files: { type: "rewound", files: [{ type: "removed" }] },
  });
  expect(await test.agent.navigateTree(end, { restoreFiles: true })).toMatchObject({ type: "moved" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("by the agent");
});

test("RUN9 refuses the move and changes no file if others changed one since", async () => {
  const { test, start, end } = await written();
  writeFileSync(join(folder, "a.txt"), "by a person");
  expect(await test.agent.navigateTree(start, { restoreFiles: true })).toMatchObject({
    type: "files-in-the-way",
    files: [{ path: join(folder, "a.txt"), type: "conflict" }],
  });
  expect(test.agent.session.leaf).toBe(end);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("by a person");
  expect(await test.agent.navigateTree(start)).toMatchObject({ type: "moved" });
});

test("RUN9 reads no file if no restore is requested", async () => {
  const { test, start } = await written();
  writeFileSync(join(folder, "a.txt"), "by a person");
  const { session } = test.agent;
  const calls: string[] = [];
  const { entry } = session.store;
  session.store.entry = async (id) => {
    calls.push(id);
    return await entry.call(session.store, id);
  };
  // What is left is loaded already.
  expect(await test.agent.previewFileRestore(start)).toMatchObject([{ type: "conflict" }]);
  expect(calls).toEqual([]);
  expect(await test.agent.navigateTree(start, { restoreFiles: [] })).toMatchObject({ type: "moved" });
});

async function compactable() {
  const writer = heldWriter();
  const limits = { ...compactionLimits, tail: { tokens: 100, share: 1 } };
  const { agent } = await createTestAgent(scriptedModel(), { summarizers: [writer], limits });
  for (const word of ["one", "two", "three"]) {
    const content = [{ type: "text", text: `${word} ${"work on the parser ".repeat(300)}` }] as const;
    const { api, provider, model } = agent.model;
    const reply = { role: "assistant", content, api, provider, model, usage: emptyUsage, stopReason: "stop" } as const;
    await agent.session.append({ type: "message", message: { role: "user", content: word, timestamp: 0 } });
    await agent.session.append({ type: "message", message: { ...reply, timestamp: 0 } });
  }
  return { agent, writer };
}

test("RUN14 during a compaction, another compaction, a move, an undo and a redo are refused with the reason and not queued (B80)", async () => {
  const { agent, writer } = await compactable();
  const start = agent.session.branch.entries[0]?.id ?? "";
  const first = agent.compact();
  while (writer.waiting.length === 0) await quiet();
  const refused = { type: "refused", why: "compacting" };
  expect(await agent.compact("its beginning")).toEqual(refused);
  expect(await agent.navigateTree(start)).toEqual(refused);
  expect(await agent.undoCompaction()).toEqual(refused);
  expect(await agent.undoCompaction("redo")).toEqual(refused);
  writer.waiting[0]?.end("tells");
  const compacted = await first;
  expect(compacted).toMatchObject({ type: "compacted" });
  // Nothing came behind it, and everything can be done again.
  expect(agent.session.leaf).toBe(compacted.type === "compacted" ? compacted.id : "");
  expect(await agent.undoCompaction()).toMatchObject({ type: "undone" });
});

test("WAIT1 queued messages stay queued after an undo and a redo", async () => {
  const { agent, writer } = await compactable();
  const compaction = agent.compact();
  while (writer.waiting.length === 0) await quiet();
  writer.waiting[0]?.end("tells");
  await compaction;
  const queued = (): readonly unknown[] => agent.queue.map(({ content }) => content);
  await agent.followUp("before the undo");
  expect(await agent.undoCompaction()).toMatchObject({ type: "undone" });
  expect(queued()).toEqual(["before the undo"]);
  await agent.followUp("before the redo");
  expect(await agent.undoCompaction("redo")).toMatchObject({ type: "redone" });
  expect(queued()).toEqual(["before the undo", "before the redo"]);
});

test("RUN15 an abort of the compaction leaves messages in the queue", async () => {
  const { agent, writer } = await compactable();
  const compaction = agent.compact();
  while (writer.waiting.length === 0) await quiet();
  await agent.followUp("a question");
  const run = runToEnd(agent.resume());
  await agent.abort();
  expect(await compaction).toMatchObject({ type: "cancelled" });
  expect((await run).end).toEqual({ type: "aborted" });
  expect(JSON.stringify(agent.session.branch.entries.filter(({ type }) => type === "message"))).not.toContain(
    "a question",
  );
  expect(await agent.clearQueue()).toMatchObject([{ content: "a question" }]);
});

test("SET13 summarizes as many of the newest tokens of the left branch as the reserve allows (B25)", async () => {
  const sentences = ["oldest", "newest"].map((word) => `${word} ${"work on the parser ".repeat(300)}`);
  const messages = sentences.map((content) => ({ role: "user" as const, content, timestamp: 0 }));
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message), 0);
  const summarized = async (contextWindow: number, branchReserve?: TokenAmount): Promise<readonly boolean[]> => {
    const model = scriptedModel("## Goal\nOld and new.", "## Goal\nNew.");
    const limits = { ...compactionLimits, ...(branchReserve !== undefined && { branchReserve }) };
    const { agent } = await createTestAgent({ ...model, contextWindow }, { limits });
    const start = agent.session.leaf;
    for (const message of messages) await agent.session.append({ type: "message", message });
    await agent.navigateTree(start, { summarize: true });
    const sent = JSON.stringify(model.requests.map((request) => request.messages));
    return ["oldest", "newest"].map((word) => sent.includes(word));
  };
  const [both, newest] = [
    [true, true],
    [false, true],
  ];
  // The default is 16,384, and a quarter of a small window.
  expect(await summarized(100_000)).toEqual(both);
  expect(compactionLimits.branchReserve).toEqual({ tokens: 16_384 });
  expect(await summarized(Math.ceil(tokens / 0.75))).toEqual(both);
  expect(await summarized(Math.floor((tokens - 1) / 0.75))).toEqual(newest);
  expect(await summarized(tokens + 500, { tokens: 500 })).toEqual(both);
  expect(await summarized(tokens + 499, { tokens: 500 })).toEqual(newest);
  // A window nobody knows has no reserve.
  expect(await summarized(0)).toEqual(both);
});

/** A session that has written a file. */
async function written(): Promise<{ readonly test: TestAgent; readonly start: string; readonly end: string }> {
  const model = heldModel();
  const permitRestore = async (path: string) => ({ type: "permitted", realPath: path }) as const;
  const rewind = {
    files: nodeFiles({ root: folder }),
    originals: originalsFolder(kept),
    checkPermission: permitRestore,
  };
  const test = await createTestAgent(model, { tools: fileTools(rewind), rewind });
  const run = test.prompt("Write.");
  await quiet();
  const start = test.agent.session.leaf ?? "";
  const args = { path: "a.txt", content: "by the agent" };
  model.waiting[0]?.end({ content: [{ type: "toolCall", id: "c1", name: "write", arguments: args }] });
  while (model.waiting.length === 0) await quiet();
  model.waiting[0]?.end(text("Written."));
  await run;
  return { test, start, end: test.agent.session.leaf ?? "" };
}
