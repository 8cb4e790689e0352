/** Sub-agents of a session that somebody sits at: in the background, with questions, stopped, and read afterwards. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import type { RpcClient } from "../../../src/rpc/client/index.ts";
import { bodyOf, Company, countIn, heard, type Kept, starts, taskOf, tasks, UNHELD } from "../company.ts";

let ground: Company;
let client: RpcClient;
const go = Promise.withResolvers<void>();
const begun = Promise.withResolvers<void>();
const bodies: string[] = [];
const write = { type: "call", name: "write", arguments: { path: "made.txt", content: "made" } } as const;

/** One program for all that is done in it, one after the other. */
beforeAll(async () => {
  ground = new Company();
  writeFileSync(join(ground.home, "settings.json"), '{ "contextWindow": 8192 }');
  const variables = await ground.company({
    parent: (asked) => {
      bodies.push(bodyOf(asked));
      const { text, results } = asked;
      // Behind a result that was stopped it stands in one message with it.
      const isRead = bodyOf(asked).includes(", page 1 of");
      if (text.includes("Read.") && !isRead) return starts({ read: ground.started().at(-1)?.id ?? "" });
      if (results > 0) return "I go on.";
      if (text.includes("Ask.")) return starts({ agent: "scout", task: "Write." });
      if (text.includes("Background.")) return starts({ tasks: tasks(2), background: true });
      if (text.includes("Stop.")) return starts({ agent: "scout", task: "Wait." });
      return "I go on.";
    },
    child: async ({ text, results }) => {
      if (text === "Write.") return results > 0 ? "Written." : { parts: [write] };
      if (text === "Wait.") {
        begun.resolve();
        return { parts: [], breaks: { how: "stall" } };
      }
      await go.promise;
      return `Done with ${taskOf(text)}`;
    },
  });
  client = ground.rpc(variables, [...UNHELD, "--permission-mode", "ask"]);
});
afterAll(async () => {
  await client.close();
  await ground.clear();
});

async function said(message: string): Promise<boolean> {
  const settled = heard(client, "agent_settled");
  await client.send({ type: "prompt", message });
  return (await settled).aborted;
}

test("AGT4 what a sub-agent asks, its caller's person answers", async () => {
  const asked = heard(client, "extension_ui_request", ({ method }) => method === "select");
  const settled = said("Ask.");
  const question = await asked;
  assert.ok(question.method === "select" && question.title.startsWith("scout: "), JSON.stringify(question));
  assert.equal(existsSync(join(ground.folder, "made.txt")), false);
  client.answer({ type: "extension_ui_response", id: question.id, value: question.options[0] ?? "" });
  await settled;
  assert.equal(readFileSync(join(ground.folder, "made.txt"), "utf8"), "made");
});

test("AGT11 in the background: a compaction does not forget them, and each end is told once", async () => {
  await said("Background.");
  const compacted = heard(client, "compaction_end");
  await said(`Keep this: ${"more of the same story, ".repeat(1_000)}`);
  assert.equal((await compacted).aborted, false);
  const open = ground.started().slice(1);
  for (const { id } of open) assert.ok((bodies.at(-1) ?? "").includes(`- ${id} (scout): Task`), bodies.at(-1));
  // AGT9: so no start need look before the compaction.
  const mark = ground.parent().findLast(({ customType, data }) => customType === "subagent" && Object(data).open);
  assert.deepEqual(
    Object(mark?.data).open.map((each: Kept) => each.id),
    open.map(({ id }) => id),
  );
  const last = heard(client, "agent_settled", () => told(ground.parent()).length === 2);
  go.resolve();
  await last;
  assert.deepEqual(told(ground.parent()).toSorted(), open.map(({ id }) => id).toSorted());
  for (const task of ["Task 0.", "Task 1."]) assert.equal(countIn(bodies.at(-1) ?? "", `Done with ${task}`), 1);
});

test("AGT13 whoever stops the caller stops its sub-agents; what they did can be read by page", async () => {
  const settled = said("Stop.");
  await begun.promise;
  assert.equal(ground.children().length, 1);
  await client.send({ type: "abort" });
  assert.equal(await settled, true);
  for (let times = 0; times < 50 && ground.children().length > 0; times += 1) await sleep(100);
  assert.deepEqual(ground.children(), []);
  await said("Read.");
  const body = bodies.at(-1) ?? "";
  assert.ok(/\[[0-9a-f]{8}-subagent, page 1 of 1\]/.test(body), body);
  assert.ok(body.includes("user · ") && body.includes("Wait."));
});

/** The ids whose end stands in the log as a message, one for each time. */
function told(entries: readonly Kept[]): readonly string[] {
  const own = entries.filter(({ type, customType }) => type === "custom_message" && customType === "subagent");
  return own
    .flatMap(({ details }) => (details as { readonly subAgents: readonly { id: string }[] }).subAgents)
    .map(({ id }) => id);
}
