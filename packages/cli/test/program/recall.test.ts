/** Tests the tool recall in the program: its size, what a compaction says about it, and other sessions. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession } from "@pith/context/node";
import { story } from "@pith/context/testing";
import type { Reply } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(async () => {
  await program.remove();
});

const recall = (query: string): Reply => ({ parts: [{ type: "call", name: "recall", arguments: { query } }] });

/** The last tool result that the server got. */
function lastResult(): string {
  const { messages } = program.lastRequestBody() as { readonly messages: readonly { readonly content: unknown }[] };
  return JSON.stringify(messages.at(-1)?.content);
}

test("RCL8 recall adds at most 400 bytes to the first request", async () => {
  const firstRequest = async (tools: string): Promise<number> => {
    await program.runWithScript(["-p", "--no-session", "hello", `--tools=${tools}`], ["hi"]);
    return JSON.stringify(program.lastRequestBody()).length;
  };
  const savedRequest = async (tools: string): Promise<number> => {
    await program.runWithScript(["-p", "hello", `--tools=${tools}`], ["hi"]);
    return JSON.stringify(program.lastRequestBody()).length;
  };
  const added = (await savedRequest("read,bash,recall")) - (await savedRequest("read,bash"));
  expect(added).toBeGreaterThan(200);
  expect(added).toBeLessThanOrEqual(400);
  // A session that is not saved has no index, so it has no such tool.
  expect(await firstRequest("read,bash,recall")).toBe(await firstRequest("read,bash"));
});

test("RCL1 RCL8 after a compaction, recall finds what the model no longer sees", async () => {
  writeFileSync(join(program.home, "settings.json"), '{ "compaction": { "keepRecentTokens": 1000 } }');
  await program.runWithScript(["-p", "Where is the gateway?"], [`It listens on 8443. ${"word ".repeat(40_000)}`]);
  await program.runWithScript(["-p", "--continue", "Something else"], ["Done."]);
  const summary = "## Goal\nWork.\n\n## Progress\n### Done\n- nothing";
  await program.runWithScript(["-p", "--continue", "/compact"], [summary, summary, summary]);
  await program.runWithScript(
    ["-p", "--continue", "Which port does the gateway use?"],
    [recall("gateway listens"), "8443"],
  );
  expect(lastResult()).toMatch(/#\d+ \(assistant\): It listens on 8443\./);
  expect(lastResult()).toMatch(/Open an entry with read #\d+/);
  expect(JSON.stringify(program.lastRequestBody())).toMatch(
    /The entries up to #\d+ are no longer shown\. Find anything in them with recall/,
  );
});

test("RCL6 recall reads a session of the same folder, and one of another folder only if the user names it", async () => {
  await program.runWithScript(["-p", "The ibis fix is in retry.ts"], ["Noted."]);
  const [line = "{}"] = program.readSession().split("\n");
  const { id } = JSON.parse(line) as { readonly id: string };
  await program.runWithScript(["-p", "How did we fix it?"], [recall(`session:${id} ibis`), "In retry.ts."]);
  expect(lastResult()).toContain("The ibis fix is in retry.ts");
  const elsewhere = new TestProgram();
  try {
    writeFileSync(join(elsewhere.folder, "a.txt"), "a");
    const inOtherFolder = { variables: { PITH_HOME: program.home } };
    const ask = async (prompt: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
      const { url } = await elsewhere.serve([recall(`session:${id} ibis`), "ok"]);
      const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, ...inOtherFolder.variables, ...more };
      await elsewhere.run(["-p", prompt], { variables });
      const { messages } = elsewhere.lastRequestBody() as {
        readonly messages: readonly { readonly content: unknown }[];
      };
      return JSON.stringify(messages.at(-1)?.content);
    };
    expect(await ask("How did we fix it?")).toContain("belongs to another folder. Ask the user to name it");
    expect(await ask(`How did we fix it in @session:${id}?`)).toContain("The ibis fix is in retry.ts");
    // The task of a sub-agent was written by a model.
    const task = await ask(`How did we fix it in @session:${id}?`, { PITH_SUBAGENT_DEPTH: "1" });
    expect(task).toContain("belongs to another folder. Ask the user to name it");
  } finally {
    await elsewhere.remove();
  }
});

test("RCL5 RCL6 a secret in another session saved without redaction is neither found nor shown", async () => {
  const secret = ["f7Kq", "9ZtLw2", "mB4xRj8"].join("-");
  const created = await createSession({ cwd: program.folder, env: { PITH_HOME: program.home } });
  if (created.type !== "opened") throw new Error(created.type);
  const { store } = created;
  const [entry] = story(`user: the ibis token is ${secret}`);
  if (entry) await store.append([entry], { expectedLeaf: await store.leaf() });
  await store.close();
  const searches = ["ibis", "9ZtLw2"].map((word) => recall(`session:${store.header.id} ${word}`));
  const { url } = await program.serve([...searches, "ok"]);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, BUILD_TOKEN: secret };
  await program.run(["-p", "Which token did we use?"], { variables });
  const requests = JSON.stringify(program.lastRequestBody());
  expect(requests).toMatch(/the ibis token is PITH_SECRET_\w+/);
  expect(lastResult()).toContain("No matches");
  expect(requests).not.toContain("mB4xRj8");
});
