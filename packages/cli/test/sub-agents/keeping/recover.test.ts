/** What is told and paid of sub-agents whose caller's program ended first. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Entry, noUsage, Session, type Usage } from "@pith/context";
import { createStore, machine, openStore } from "@pith/context/node";
import { afterEach, beforeEach, test } from "vitest";
import { subAgentsIn } from "../../../src/sub-agents/keeping/in-log.ts";
import { recover } from "../../../src/sub-agents/keeping/recover.ts";
import { transcriptPage } from "../../../src/sub-agents/keeping/transcript-page.ts";
import type { Crew } from "../../../src/sub-agents/running/crew.ts";
import { endsOf } from "../../../src/sub-agents/running/told-end.ts";
import { Company, countIn, starts, taskOf, tasks, UNHELD } from "../company.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-recover-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const usage: Usage = { ...noUsage, input: 10, output: 5, totalTokens: 15 };
const placed = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };

async function ended(name: string, said: string): Promise<string> {
  const path = join(folder, `${name}.jsonl`);
  const opened = await createStore(path, { cwd: folder });
  if (opened.type !== "opened") throw new Error(opened.type);
  const session = await Session.open(opened.store, machine);
  const by = { api: "anthropic-messages", provider: "p", model: "m", usage, timestamp: 0 } as const;
  const content = [{ type: "text", text: said }] as const;
  await session.append({ type: "message", message: { role: "user", content: "Look.", timestamp: 0 } });
  await session.append({ type: "message", message: { role: "assistant", content, stopReason: "stop", ...by } });
  await opened.store.close();
  return path;
}

test("AGT10 what one cost is written once, and its end told once, however often one goes on", async () => {
  const path = await ended("a", "Found it.");
  const data = { id: "a", agent: "scout", task: "Look.", path };
  const log: Entry[] = [{ ...placed, id: "1", type: "custom", customType: "subagent", data }];
  const crew: Pick<Crew, "pay"> = {
    pay: async (id, { usage: spent, by }) => {
      const whose = { kind: "subagent", provider: by?.provider ?? "", model: by?.model ?? "" };
      log.push({ ...placed, id: `u${log.length}`, type: "usage", ...whose, usage: spent, note: id });
    },
  };
  const untold = await recover(subAgentsIn(log), { crew, file: null });
  assert.deepEqual(untold, [{ id: "a", agent: "scout", status: "done", text: "Found it." }]);
  assert.equal((await recover(subAgentsIn(log), { crew, file: null })).length, 1, "paid, and not yet told");
  const message = { customType: "subagent", content: "", display: true, details: endsOf(untold) };
  log.push({ ...placed, id: "t", type: "custom_message", ...message });
  assert.deepEqual(await recover(subAgentsIn(log), { crew, file: null }), []);
  assert.equal(log.filter(({ type }) => type === "usage").length, 1);
  assert.deepEqual([...subAgentsIn(log).paid], ["a"]);
});

test("AGT10 what was paid on another branch is not paid again", async () => {
  const path = await ended("d", "Found it.");
  const file = join(folder, "parent.jsonl");
  const opened = await createStore(file, { cwd: folder });
  assert.ok(opened.type === "opened");
  const session = await Session.open(opened.store, machine);
  await session.append({ type: "usage", kind: "subagent", provider: "p", model: "m", usage, note: "d" });
  await opened.store.close();
  const paid: string[] = [];
  const crew = { pay: async (id: string) => void paid.push(id) };
  const started = ["d", "e"].map((id) => ({ id, agent: "scout", task: "Look.", path }));
  const untold = await recover({ started, told: new Set(), paid: new Set() }, { crew, file });
  assert.deepEqual([untold.length, paid], [2, ["e"]]);
});

test("AGT8 a transcript is read in pages within their room, and nothing of it is lost", async () => {
  const path = await ended("b", `begin ${"wörter und mehr ".repeat(500)} end`);
  const first = await transcriptPage({ path, page: 1, room: 2_000 });
  assert.ok(first.type === "page" && first.pages > 3);
  const pages = await Promise.all(
    Array.from({ length: first.pages }, (_, at) => transcriptPage({ path, page: at + 1, room: 2_000 })),
  );
  const texts = pages.map((page) => (page.type === "page" ? page.text : ""));
  assert.ok(texts.every((text) => Buffer.byteLength(text) <= 2_000 && !text.includes("\ufffd")));
  assert.equal(texts.join("").split("wörter").length - 1, 500);
  const behind = await transcriptPage({ path, page: first.pages + 1, room: 2_000 });
  assert.deepEqual(behind, { type: "failed", why: `there is no page ${first.pages + 1}; there are ${first.pages}` });
});

test("AGT9 one that still works when its caller goes on is waited for", async () => {
  const path = await ended("c", "Found it.");
  const opened = await openStore(path);
  assert.ok(opened.type === "opened");
  setTimeout(() => void opened.store.close(), 250);
  const begun = Date.now();
  const log = { started: [{ id: "c", agent: "scout", task: "Look.", path }], told: new Set(""), paid: new Set(["c"]) };
  const [result] = await recover(log, { crew: { pay: async () => {} }, file: null });
  assert.ok(result?.status === "done" && Date.now() - begun >= 200);
});

test("AGT9 killed with its sub-agents at work: none stays, and what became of each is told once, whenever one goes on", async () => {
  const ground = new Company();
  const asked = new Set<string>();
  const variables = await ground.company({
    parent: ({ text, results }) => (text.includes("Go.") && results === 0 ? starts({ tasks: tasks(2) }) : "I see."),
    child: async ({ text }) => {
      asked.add(taskOf(text));
      return taskOf(text) === "Task 0." ? "Done with Task 0." : { parts: [], breaks: { how: "stall" } };
    },
  });
  const parent = ground.rpc(variables, UNHELD);
  void parent.send({ type: "prompt", message: "Go." });
  while (asked.size < 2 || !ground.hasSaid("Task 0.", "Done with Task 0.")) await sleep(50);
  process.kill(parent.pid ?? 0, "SIGKILL");
  await parent.ended;
  for (let times = 0; times < 100 && ground.children().length > 0; times += 1) await sleep(100);
  assert.deepEqual(ground.children(), []);
  for (const words of ["And now?", "And then?"]) {
    const { out, notes } = await ground.run(["-p", "-c", ...UNHELD, words], { variables });
    assert.equal(out, "I see.\n", notes);
  }
  const body = JSON.stringify(ground.body());
  assert.equal(countIn(body, "Done with Task 0."), 1, body);
  assert.equal(countIn(body, "broke off: the program it worked for ended"), 1);
  const paid = ground.parent().filter(({ type, kind }) => type === "usage" && kind === "subagent");
  assert.equal(paid.length, 1);
  await ground.clear();
});
