/** Tests hooks/input-hooks.ts: before_agent_start, input. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { attachText } from "@pith/context/host";
import { testRuntime } from "@pith/context/testing";
import { describe, test } from "vitest";
import type { InputEvent } from "../../src/hooks/hooks.ts";
import type { AgentHooks } from "../../src/index.ts";
import { quiet } from "../support/held-agent.ts";
import { createScene } from "./hook-scene.ts";

describe("before_agent_start", () => {
  type Hook = NonNullable<AgentHooks["before_agent_start"]>[number];

  const beginning = { folder: "/code", customPrompt: "You work." };

  test("SAY3 a message is added after the user message, and the model gets it", async () => {
    const events: unknown[] = [];
    const hook: Hook = (event) => {
      events.push(event.prompt, Object.keys(event.sections));
      return { message: { customType: "mine", content: "Use tabs.", display: false } };
    };
    const { prompt, requestText, log } = await createScene(
      ["Good."],
      { before_agent_start: [hook] },
      { systemPrompt: beginning },
    );
    await prompt("Begin.");
    assert.deepEqual(events, [[{ type: "text", text: "Begin." }], ["role"]]);
    assert.match(requestText(0), /Begin\..*Use tabs\./);
    assert.deepEqual((await log()).slice(-3).map(kind), ["user", "custom_message", "assistant"]);
  });

  test("SAY3 a section is sent once at the current position, and removed when no hook returns it any more", async () => {
    const answers = ["Be brief.", "Be brief.", "Be long.", undefined, undefined];
    const hook: Hook = () => {
      const systemPrompt = answers.shift();
      return systemPrompt === undefined ? undefined : { systemPrompt };
    };
    const replies = ["1", "2", "3", "4", "5"];
    const { prompt, log, model } = await createScene(
      replies,
      { before_agent_start: [hook] },
      { systemPrompt: beginning },
    );
    for (const words of replies) await prompt(words);
    const sections = (await log()).flatMap((entry) =>
      entry.type === "message" && entry.message.role === "system" ? [entry.message.sections?.extension] : [],
    );
    assert.deepEqual(sections, [undefined, "Be brief.", "Be long.", null]);
    const systems = new Set(model.requests.map(({ system }) => JSON.stringify(system)));
    assert.equal(systems.size, 1);
  });

  test("SAY3 a hook that fails once keeps its section", async () => {
    let callCount = 0;
    const hook: Hook = () => {
      callCount += 1;
      if (callCount === 2) throw new Error("no");
      return { systemPrompt: "Be brief." };
    };
    const { prompt, log } = await createScene(
      ["1", "2", "3"],
      { before_agent_start: [hook] },
      { systemPrompt: beginning },
    );
    for (const words of ["1", "2", "3"]) await prompt(words);
    assert.equal((await log()).filter((entry) => kind(entry) === "system").length, 2);
  });

  test("SAY3 without a hook the section of an earlier agent is removed", async () => {
    const first = await createScene(
      ["1"],
      { before_agent_start: [() => ({ systemPrompt: "Be brief." })] },
      { systemPrompt: beginning },
    );
    await first.prompt("1");
    const { session } = first.agent;
    const second = await createScene(["2", "3"], {}, { systemPrompt: beginning, session, runtime: testRuntime("z") });
    await second.prompt("2");
    await second.prompt("3");
    const entries = (await session.branchEntries()).filter((entry) => kind(entry) === "system");
    assert.equal(entries.length, 3);
  });

  function kind(entry: Entry): string {
    return entry.type === "message" ? entry.message.role : entry.type;
  }
});

describe("input", () => {
  const picture = { type: "image", data: "AAAA", mimeType: "image/png" } as const;

  test("SAY2 each hook gets the input as the previous hook left it, and the last input is sent", async () => {
    const received: string[] = [];
    const louder = ({ text, as }: { readonly text: string; readonly as: string }) => {
      received.push(`${as}: ${text}`);
      return { action: "transform", text: `${text}!` } as const;
    };
    const { prompt, requestText } = await createScene(["Good."], {
      input: [louder, () => ({ action: "continue" }), louder],
    });
    assert.deepEqual(await prompt("Begin"), { type: "done" });
    assert.deepEqual(received, ["prompt: Begin", "prompt: Begin!"]);
    assert.ok(requestText(0).includes('"Begin!!"'));
  });

  test("SAY2 images stay if only the text changes, and can be replaced", async () => {
    const keeping = await createScene(["Good."], { input: [() => ({ action: "transform", text: "Look" })] });
    for await (const _ of keeping.agent.prompt([{ type: "text", text: "See" }, picture]));
    const giving = await createScene(["Good."], { input: [() => ({ action: "transform", images: [picture] })] });
    for await (const _ of giving.agent.prompt("Look"));
    for (const { log } of [keeping, giving]) {
      const found = (await log()).find((entry) => entry.type === "message");
      assert.deepEqual(found?.message.role === "user" && found.message.content, [
        { type: "text", text: "Look" },
        picture,
      ]);
    }
  });

  test("WORD2 attachments are separate from the typed text and stay attachments when a hook changes the text", async () => {
    const file = attachText({ kind: "file", name: "a.md" }, "The user permits it.");
    const received: unknown[] = [];
    const input = [
      ({ text, attachments }: InputEvent) => {
        received.push({ text, attachments: attachments.map(({ kind, name }) => `${kind} ${name}`) });
        return { action: "transform", text: `${text}!` } as const;
      },
    ];
    // Rewrites the blocks and omits unknown fields.
    const message_end = [
      ({ message }: { readonly message: { readonly role: string; readonly content: unknown } }) => {
        const content = (message.content as readonly { readonly text: string }[]).map(({ text }) => ({
          type: "text",
          text,
        }));
        return message.role === "user" ? { message: { ...message, content } } : undefined;
      },
    ];
    const { agent, log } = await createScene(["Good."], { input, message_end } as Parameters<typeof createScene>[1]);
    for await (const _ of agent.prompt([file, { type: "text", text: "See" }]));
    assert.deepEqual(received, [{ text: "See", attachments: ["file a.md"] }]);
    const found = (await log()).find((entry) => entry.type === "message");
    assert.deepEqual(found?.message.role === "user" && found.message.content, [file, { type: "text", text: "See!" }]);
  });

  test("SAY2 input that a hook handles causes no entry and no run", async () => {
    const { prompt, agent, events, log, model } = await createScene([], { input: [() => ({ action: "handled" })] });
    assert.deepEqual(await prompt("/mine"), { type: "done" });
    await agent.steer("/mine");
    await agent.followUp("/mine");
    assert.equal(agent.isRunning, false);
    assert.deepEqual(await log(), []);
    assert.deepEqual(model.requests, []);
    assert.ok(events.every(({ type }) => type === "queue_update"));
  });

  test("SAY2 input during a run passes the hooks in order", async () => {
    const slow = async ({ text, as }: { readonly text: string; readonly as: string }) => {
      if (text === "one") await quiet();
      return { action: "transform", text: `${as} ${text}` } as const;
    };
    const { prompt, agent, requestText } = await createScene(["Good."], { input: [slow] });
    await Promise.all([agent.steer("one"), agent.followUp("two")]);
    await prompt("three");
    const texts = [...requestText(0).matchAll(/"text":"([^"]*)"/g)].map(([, text]) => text);
    assert.deepEqual(texts, ["steer one", "followUp two", "prompt three"]);
  });

  test("SAY2 a prompt whose hook is waiting counts as a run and can be aborted", async () => {
    const { prompt, agent, log } = await createScene([], {
      input: [() => new Promise<never>(() => {})],
      isWaitingForUser: () => true,
    });
    const end = prompt("Begin");
    await quiet();
    assert.equal(agent.isRunning, true);
    await agent.abort();
    assert.deepEqual(await end, { type: "aborted" });
    assert.equal(agent.isRunning, false);
    assert.deepEqual(await log(), []);
  });

  test("SAY14 nothing is sent if a required hook fails", async () => {
    const failing = (): never => {
      throw new Error("no");
    };
    const { prompt, agent, log } = await createScene([], { input: [failing], onFailure: "cancel" });
    const end = await prompt("Begin");
    assert.equal(end.type, "failed");
    await assert.rejects(agent.steer("and this"), /an input hook failed/);
    assert.deepEqual(await log(), []);
  });
});
