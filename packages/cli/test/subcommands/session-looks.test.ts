/** Looks into sessions: context, preview, sums, what was said. */

import { appendFileSync, readFileSync } from "node:fs";
import { startServer } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SubcommandRunner } from "../support/subcommand-runner.ts";

let runner: SubcommandRunner;

beforeEach(() => {
  runner = new SubcommandRunner();
});

afterEach(() => runner.remove());

test("SUB13 pith compact --preview prints what is kept, what is summarized and the cost, without a request or a change", async () => {
  const path = await runner.add({ answers: 4 });
  const before = readFileSync(path);
  const { code, out } = await runner.run("compact", "last", "--preview");
  expect(code).toBe(0);
  expect(out).toMatch(
    /^[\d,]+ → about [\d,]+ tokens\nKept: .*\n\d+ of your messages stays? word for word\nSummarized: /,
  );
  expect(out).toMatch(/^Cost: about \$\d.*; more if the summary must be corrected$/m);
  const other = (await runner.json("compact", "last", "--preview", "--model", "nobody/knows-it")) as object;
  expect(other).toMatchObject({
    model: "nobody/knows-it",
    price: null,
    receipt: { covered: { count: expect.any(Number) } },
  });
  expect(readFileSync(path)).toEqual(before);
  await runner.add({ prompt: "Short." });
  expect((await runner.run("compact", "last", "--preview", "-m", "a/b")).out).toContain("Not compacted");
  expect(await runner.run("compact", "last", "--preview", "-m", "nonsense")).toMatchObject({ code: 2 });
});

test("CUT12 pith compact --preview --up-to keeps the entry and all after it; an unknown entry is a usage error", async () => {
  await runner.add({ answers: 4 });
  const { receipt } = (await runner.json("compact", "last", "--preview", "--up-to", "#4")) as {
    readonly receipt: { readonly covered: { readonly count: number } };
  };
  expect(receipt.covered.count).toBe(3);
  expect(await runner.run("compact", "last", "--preview", "--up-to", "#99")).toMatchObject({ code: 2 });
  const refused = await runner.run("compact", "last", "--preview", "--up-to", "#1");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.notes.join("\n")).toContain("choose a later one");
});

test("SUB13 pith context works without a key, for the session's last model or another one", async () => {
  await runner.add({ answers: 2 });
  const own = (await runner.json("context", "last")) as {
    model: string;
    tokens: number;
    parts: readonly { tokens: number }[];
  };
  expect(own).toMatchObject({ model: "anthropic/claude-sonnet-4-5", tokens: expect.any(Number) });
  expect(own.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(own.tokens);
  expect((await runner.run("context", "last", "-m", "ollama/llama3")).out).toContain("context window: 8,192");
  await runner.add({ prompt: "Nobody spoke." });
  expect(await runner.run("context", "last")).toMatchObject({ code: 2, notes: [expect.stringContaining("--model")] });
});

test("SUB14 pith sessions stats sums up all sessions and lists the largest", async () => {
  await runner.add({ answers: 2, prompt: "Big." });
  await runner.add({ prompt: "Small." });
  const sums = (await runner.json("sessions", "stats")) as { biggest: readonly { title: string }[] };
  expect(sums).toMatchObject({ sessions: 2, damaged: 0, messages: 6, bytes: { blobs: 0 } });
  expect(sums.biggest.map(({ title }) => title)).toEqual(["Big.", "Small."]);
  expect(await runner.json("sessions", "stats", "last")).toMatchObject({ sessions: 1, messages: 1 });
  expect(await runner.json("sessions", "stats", "--folder", "/nowhere")).toMatchObject({ sessions: 0 });
});

test("SUB16 a preview and the statistics redact secrets in sessions saved without redaction", async () => {
  const token = `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}`;
  runner.environment = { ...runner.environment, DEPLOY_TOKEN: token };
  const path = await runner.add({ prompt: `Deploy with ${token} now.`, answers: 4 });
  await runner.add({ prompt: `And ${token}.` });
  for (const args of [
    ["compact", path, "--preview"],
    ["sessions", "stats"],
  ])
    for (const form of [[], ["--json"]]) {
      const { out } = await runner.run(...args, ...form);
      expect(out).toContain("Deploy with PITH_SECRET_");
      expect(out).not.toContain(token);
    }
});

test("SEC16 pith compact redacts secrets of a session saved without redaction in its request and its summary", async () => {
  const token = `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}`;
  const server = await startServer({ script: () => `## Goal\n- deploy with ${token}` });
  const model = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  runner.environment = { ...runner.environment, ...model, DEPLOY_TOKEN: token };
  const path = await runner.add({ prompt: `Deploy with ${token} now.`, answers: 4 });
  const before = readFileSync(path, "utf8");
  expect(await runner.run("compact", path)).toMatchObject({ code: 0 });
  await server.close();
  const fresh = readFileSync(path, "utf8").slice(before.length);
  expect(fresh).toContain("Deploy with PITH_SECRET_");
  expect(fresh).not.toContain(token);
});

test("SUB15 the id of a reply in the tree can be used as its id and to name its branch", async () => {
  const path = await runner.add();
  const reply = "0123456789abcdef0123-1-0";
  const message = { role: "assistant", content: [{ type: "text", text: "Done." }], provider: "p", model: "m" };
  const [, firstEntry = ""] = readFileSync(path, "utf8").split("\n");
  const { id: parentId } = JSON.parse(firstEntry) as { id: string };
  const entry = { type: "message", id: reply, parentId, timestamp: "2026-01-01T00:00:00.000Z", message };
  appendFileSync(path, `${JSON.stringify(entry)}\n`);
  expect((await runner.run("sessions", "show", "last", "--tree")).out).toContain(`\n${reply} reply: Done.`);
  for (const named of [reply, "01234567-1-0"]) {
    expect((await runner.run("sessions", "show", "last", "--entry", named)).out).toContain("Done.");
    const to = `${named}.md`;
    expect(await runner.run("sessions", "export", "last", "--branch", named, "-o", to)).toMatchObject({ code: 0 });
  }
});

test("SUB15 pith sessions show prints a limited part of a session, a whole entry, or a tree with usable ids", async () => {
  await runner.add({ answers: 3 });
  const { out } = await runner.run("sessions", "show", "last", "--tail", "2");
  expect(out).toMatch(
    /^… earlier entries not shown\. Use --tail 0 for all of them, or --branch [0-9a-f]+ for the ones just before these\n\nanthropic\/claude-sonnet-4-5 · .*\n {2}Answer 3\. /,
  );
  expect(out.length).toBeLessThan(10_000);
  const { nodes } = (await runner.json("sessions", "show", "last", "--tree")) as { nodes: readonly { id: string }[] };
  const id = nodes[1]?.id ?? "";
  expect((await runner.run("sessions", "show", "last", "--tree")).out).toContain(id);
  const whole = await runner.run("sessions", "show", "last", "--entry", id);
  expect(whole.out.length).toBeGreaterThan(50_000);
  expect((await runner.run("sessions", "show", "last", "--branch", id)).out).not.toContain("Answer 2.");
  expect(await runner.run("sessions", "show", "last", "--entry", "nope")).toMatchObject({ code: 2 });
});
