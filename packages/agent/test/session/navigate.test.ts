/** A move in the tree, and the files that the session changed on the way. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactionLimits } from "@pith/context";
import { scriptedModel } from "@pith/context/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileTools } from "../../src/index.ts";
import { nodeFiles, originalsFolder } from "../../src/node/index.ts";
import { heldModel, quiet, type Stage, stage, text } from "../loop/held.ts";

let folder: string;
let kept: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-move-"));
  kept = mkdtempSync(join(tmpdir(), "pith-kept-"));
});
afterEach(() => {
  for (const each of [folder, kept]) rmSync(each, { recursive: true });
});

test("RUN9 a move shows which files it would put back, puts them back, and forth again", async () => {
  const { scene, start, end } = await written();
  expect(await scene.agent.previewFiles(start)).toMatchObject([{ path: join(folder, "a.txt"), type: "remove" }]);
  expect(await scene.agent.navigateTree(start, { restoreFiles: true })).toMatchObject({
    type: "moved",
    files: { type: "rewound", files: [{ type: "removed" }] },
  });
  expect(await scene.agent.navigateTree(end, { restoreFiles: true })).toMatchObject({ type: "moved" });
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("by the agent");
});

test("RUN9 what somebody else changed since is in the way: nobody moves, and nothing is touched", async () => {
  const { scene, start, end } = await written();
  writeFileSync(join(folder, "a.txt"), "by a person");
  expect(await scene.agent.navigateTree(start, { restoreFiles: true })).toMatchObject({
    type: "files-in-the-way",
    files: [{ path: join(folder, "a.txt"), type: "conflict" }],
  });
  expect(scene.agent.session.leaf).toBe(end);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("by a person");
  expect(await scene.agent.navigateTree(start)).toMatchObject({ type: "moved" });
});

test("RUN9 who wants no file back has none looked for", async () => {
  const { scene, start } = await written();
  writeFileSync(join(folder, "a.txt"), "by a person");
  const { session } = scene.agent;
  const asked: string[] = [];
  const { entry } = session.store;
  session.store.entry = async (id) => {
    asked.push(id);
    return await entry.call(session.store, id);
  };
  // What is left is loaded already.
  expect(await scene.agent.previewFiles(start)).toMatchObject([{ type: "conflict" }]);
  expect(asked).toEqual([]);
  expect(await scene.agent.navigateTree(start, { restoreFiles: [] })).toMatchObject({ type: "moved" });
});

test("SET13 of a branch that is left as much is told as the reserve leaves room for, the newest of it (B25)", async () => {
  const asked = async (branchReserve?: number): Promise<string> => {
    const model = scriptedModel("## Goal\nOld and new.", "## Goal\nNew.");
    const limits = { ...compactionLimits, largestReserve: 0.9 };
    const parts = { limits, ...(branchReserve !== undefined && { branchReserve }) };
    const { agent } = await stage({ ...model, contextWindow: 10_000 }, parts);
    const start = agent.session.leaf;
    for (const word of ["oldest", "newest"]) {
      const message = { role: "user", content: `${word} ${"work on the parser ".repeat(300)}`, timestamp: 0 } as const;
      await agent.session.append({ type: "message", message });
    }
    await agent.navigateTree(start, { summarize: true });
    return JSON.stringify(model.requests.map(({ messages }) => messages));
  };
  expect(await asked()).toMatch(/oldest.*newest/);
  const some = await asked(8_000);
  expect([some.includes("oldest"), some.includes("newest")]).toEqual([false, true]);
});

/** A session that has written a file. */
async function written(): Promise<{ readonly scene: Stage; readonly start: string; readonly end: string }> {
  const model = heldModel();
  const rewind = { files: nodeFiles({ root: folder }), originals: originalsFolder(kept) };
  const scene = await stage(model, { tools: fileTools(rewind), rewind });
  const run = scene.prompt("Write.");
  await quiet();
  const start = scene.agent.session.leaf ?? "";
  const args = { path: "a.txt", content: "by the agent" };
  model.waiting[0]?.end({ content: [{ type: "toolCall", id: "c1", name: "write", arguments: args }] });
  while (model.waiting.length === 0) await quiet();
  model.waiting[0]?.end(text("Written."));
  await run;
  return { scene, start, end: scene.agent.session.leaf ?? "" };
}
