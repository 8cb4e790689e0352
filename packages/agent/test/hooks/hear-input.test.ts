/** What a person says passes those who have a say in it, before anything of it is kept. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { quiet } from "../loop/held.ts";
import { spoken } from "./spoken.ts";

const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const;

test("SAY2 each hook hears what the one before it left, and what is left is said", async () => {
  const heard: string[] = [];
  const louder = ({ text, as }: { readonly text: string; readonly as: string }) => {
    heard.push(`${as}: ${text}`);
    return { action: "transform", text: `${text}!` } as const;
  };
  const { prompt, shown } = await spoken(["Good."], { input: [louder, () => ({ action: "continue" }), louder] });
  assert.deepEqual(await prompt("Begin"), { type: "done" });
  assert.deepEqual(heard, ["prompt: Begin", "prompt: Begin!"]);
  assert.ok(shown(0).includes('"Begin!!"'));
});

test("SAY2 pictures stay where only the words are others, and may be given", async () => {
  const keeping = await spoken(["Good."], { input: [() => ({ action: "transform", text: "Look" })] });
  for await (const _ of keeping.agent.prompt([{ type: "text", text: "See" }, picture]));
  const giving = await spoken(["Good."], { input: [() => ({ action: "transform", images: [picture] })] });
  for await (const _ of giving.agent.prompt("Look"));
  for (const { log } of [keeping, giving]) {
    const said = (await log()).find((entry) => entry.type === "message");
    assert.deepEqual(said?.message.role === "user" && said.message.content, [{ type: "text", text: "Look" }, picture]);
  }
});

test("SAY2 what a hook has seen to leaves no entry and no run behind", async () => {
  const { prompt, agent, events, log, model } = await spoken([], { input: [() => ({ action: "handled" })] });
  assert.deepEqual(await prompt("/mine"), { type: "done" });
  await agent.steer("/mine");
  await agent.followUp("/mine");
  assert.equal(agent.isRunning, false);
  assert.deepEqual(await log(), []);
  assert.deepEqual(model.requests, []);
  assert.ok(events.every(({ type }) => type === "queue_update"));
});

test("SAY2 what is said while it works is heard, too, in the order in which it was said", async () => {
  const slow = async ({ text, as }: { readonly text: string; readonly as: string }) => {
    if (text === "one") await quiet();
    return { action: "transform", text: `${as} ${text}` } as const;
  };
  const { prompt, agent, shown } = await spoken(["Good."], { input: [slow] });
  await Promise.all([agent.steer("one"), agent.followUp("two")]);
  await prompt("three");
  const said = [...shown(0).matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text);
  assert.deepEqual(said, ["steer one", "followUp two", "prompt three"]);
});

test("SAY2 a prompt that somebody still thinks about is a run under way, and can be stopped", async () => {
  const { prompt, agent, log } = await spoken([], {
    input: [() => new Promise<never>(() => {})],
    isAsking: () => true,
  });
  const end = prompt("Begin");
  await quiet();
  assert.equal(agent.isRunning, true);
  await agent.abort();
  assert.deepEqual(await end, { type: "aborted" });
  assert.equal(agent.isRunning, false);
  assert.deepEqual(await log(), []);
});

test("SAY14 where a hook that keeps secrets fails, nothing is said", async () => {
  const failing = (): never => {
    throw new Error("no");
  };
  const { prompt, agent, log } = await spoken([], { input: [failing], onFailure: "cancel" });
  const end = await prompt("Begin");
  assert.equal(end.type, "failed");
  await assert.rejects(agent.steer("and this"), /watches over all that is said/);
  assert.deepEqual(await log(), []);
});
