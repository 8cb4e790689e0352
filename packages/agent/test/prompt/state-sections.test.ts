/** Tests state sections: appended when they change or end, and again after a compaction. */

import assert from "node:assert/strict";
import { type Entry, MemoryStore, Session } from "@pith/context";
import { testRuntime } from "@pith/context/testing";
import fc from "fast-check";
import { test } from "vitest";
import { createScene, workCall } from "../hooks/hook-scene.ts";
import { github, secretsFor } from "../support/secrets.ts";

test("SAY15 appends a section before a request when it has changed or ended", async () => {
  const texts: (string | null)[] = [null, "one open", "one open", "two open", null, null];
  const states = [{ name: "todo", text: () => texts.shift() ?? null }];
  const replies = ["1", workCall(), "2", "3", "4", "5"];
  const { prompt, log, requestText } = await createScene(replies, {}, { stateSections: states });
  for (const words of ["1", "2", "3", "4", "5"]) await prompt(words);
  const sentStates = (await log()).flatMap(stateOf);
  assert.deepEqual(sentStates, ["todo:\none open", "todo:\ntwo open", "todo: none."]);
  assert.match(requestText(1), /one open/);
});

test("SAY15 appends current sections again after a compaction, and nothing else", async () => {
  const states = [
    { name: "todo", text: () => "one open" },
    { name: "gone", text: () => null },
  ];
  const long = "This is what it is about. ".repeat(2_000);
  const { prompt, log, agent, requestText } = await createScene(
    [long, long, long, "4", "5"],
    {},
    { stateSections: states },
  );
  for (const words of ["1", "2", "3"]) await prompt(words);
  assert.equal((await agent.compact()).type, "compacted");
  for (const words of ["4", "5"]) await prompt(words);
  const branch = await log();
  const at = branch.findIndex((entry) => entry.type === "compaction");
  assert.deepEqual(branch.slice(0, at).flatMap(stateOf), ["todo:\none open"]);
  assert.deepEqual(branch.slice(at).flatMap(stateOf), ["todo:\none open"]);
  assert.match(requestText(3), /one open/);
});

test("SAY15 reports a section that throws or returns no string and keeps its last text; truncates a long one", async () => {
  let callCount = 0;
  const failing = () => {
    callCount += 1;
    if (callCount > 1) throw new Error("no");
    return "fine";
  };
  const states = [
    { name: "failing", text: failing },
    { name: "wrong", text: () => 5 as unknown as string },
    { name: "long", text: () => "word ".repeat(20_000) },
  ];
  const { prompt, log, failures } = await createScene(["1", "2"], {}, { stateSections: states });
  assert.deepEqual(await prompt("1"), { type: "done" });
  assert.deepEqual(await prompt("2"), { type: "done" });
  const sentStates = (await log()).flatMap(stateOf);
  assert.equal(sentStates.length, 2);
  assert.ok(
    (sentStates[1] ?? "").length < 12_000 && sentStates[1]?.endsWith("[… the rest is not shown: it is too long …]"),
  );
  assert.deepEqual(
    failures.map(({ event }) => event),
    ["state wrong", "state failing", "state wrong"],
  );
});

test("SAY15 appends an unchanged section once, also after a restart", async () => {
  const secrets = secretsFor();
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.constantFrom(` ${github}\n`, "word ".repeat(20_000), "hunter22hunter22", "\ud800", "a\r\nb"),
  );
  const name = fc.constantFrom("todo", "password", "api_key", "token");
  await fc.assert(
    fc.asyncProperty(name, text, async (name, text) => {
      const states = [{ name, text: () => text }];
      const ports = testRuntime("e");
      const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
      const { prompt, agent } = await createScene(
        ["1", "2"],
        {},
        { stateSections: states, session, secrets, runtime: ports },
      );
      for (const words of ["1", "2"]) await prompt(words);
      const { store } = agent.session;
      assert.ok(store instanceof MemoryStore);
      const again = await Session.open(MemoryStore.open(store.bytes(), ports), ports, { redaction: secrets });
      const later = await createScene(
        ["3"],
        {},
        { stateSections: states, session: again, secrets, runtime: testRuntime("f") },
      );
      await later.prompt("3");
      assert.equal((await later.log()).flatMap(stateOf).length, text.trim() === "" ? 0 : 1);
    }),
    { numRuns: 25 },
  );
});

test("SAY15 every request extends the one before it, also after a restart", async () => {
  let count = 0;
  const states = [
    { name: "todo", text: () => `${Math.floor(count++ / 2)} open` },
    { name: "agents", text: () => (count % 3 === 0 ? null : "one runs") },
  ];
  const before = [() => ({ systemPrompt: "Speak plainly." })];
  const hooks = { before_agent_start: before };
  const beginning = { folder: "/home/ada/app" };
  const replies = [workCall(), "1", workCall(), "2"];
  const scene = await createScene(replies, hooks, { stateSections: states, systemPrompt: beginning });
  for (const words of ["1", "2"]) await scene.prompt(words);
  const { store } = scene.agent.session;
  assert.ok(store instanceof MemoryStore);
  const ports = testRuntime("f");
  const session = await Session.open(MemoryStore.open(store.bytes(), ports), ports);
  const later = await createScene([workCall(), "3"], hooks, {
    stateSections: states,
    systemPrompt: beginning,
    session,
    runtime: ports,
  });
  await later.prompt("3");
  const requests = [...scene.model.requests, ...later.model.requests];
  const texts = requests.map(({ messages }) => messages.map((message) => JSON.stringify(message)));
  for (const [at, text] of texts.entries())
    if (at > 0) assert.deepEqual(text.slice(0, texts[at - 1]?.length), texts[at - 1]);
  assert.equal(requests.length, 6);
  assert.equal(JSON.stringify(requests.at(-1)).split("Speak plainly.").length, 2);
});

function stateOf(entry: Entry): readonly string[] {
  return entry.type === "custom_message" && entry.customType === "pith.state" ? [String(entry.content)] : [];
}
