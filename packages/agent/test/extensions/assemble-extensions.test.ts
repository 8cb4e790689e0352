/** Tests extensions/assemble-extensions.ts: registration, name conflicts, actions, commands, and isolation between extensions. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { createExtensions, type ExtensionApi, type ExtensionContext, type ExtensionTool } from "../../src/index.ts";
import { assemble, createContext, hang, quiet, recordActions, testRuntime } from "../support/test-extensions.ts";

const tool = (name: string): ExtensionTool => ({
  name,
  description: "It does something.",
  parameters: { type: "object" },
  run: async () => ({ content: [] }),
});

function registerAll(pith: ExtensionApi): void {
  pith.on("turn_end", () => {});
  pith.on("agent_start", () => {});
  pith.registerTool(tool("tool_a"));
  pith.registerCommand("command-a", { description: "It.", run: async () => undefined });
  pith.registerState("state a", () => "now");
  pith.registerSummarizer({ name: "writer-a", isPaid: false, summarize: () => ({ type: "nothing" }) });
  pith.registerRules({ deny: ["bash(git push)"] });
}

test("EXT1 registrations take effect and are listed for users", async () => {
  const { extensions, failures } = await assemble({ one: registerAll });
  assert.deepEqual(extensions.list, [
    {
      name: "one",
      events: ["turn_end", "agent_start"],
      tools: ["tool_a"],
      commands: ["command-a"],
      states: ["state a"],
      rules: ["deny bash(git push)"],
      writes: true,
    },
  ]);
  assert.deepEqual(extensions.notes, []);
  assert.deepEqual(failures, []);
  assert.equal(extensions.tools[0]?.isIdempotent, false);
  assert.deepEqual(extensions.rules, { allow: [], ask: [], deny: ["bash(git push)"] });
  assert.equal(extensions.summarizers[0]?.name, "writer-a");
  assert.equal(extensions.stateSections[0]?.text(), "now");
  assert.equal(extensions.hooks.turn_end?.length, 1);
  assert.equal(extensions.hooks.message_end, undefined);
});

test("RUN13 a tool of an extension runs concurrently only if it declares that", async () => {
  const declared: readonly unknown[] = [undefined, true, "yes", ({ id }: { readonly id?: unknown }) => id === 1];
  const { extensions } = await assemble({
    one: (pith) => {
      for (const [index, isConcurrent] of declared.entries())
        pith.registerTool({ ...tool(`tool_${index}`), isConcurrent } as ExtensionTool);
    },
  });
  const [none, always, invalid, sometimes] = extensions.tools.map(({ isConcurrent }) => isConcurrent);
  assert.deepEqual([none, always, invalid], [undefined, true, undefined]);
  assert.ok(typeof sometimes === "function");
  assert.deepEqual([sometimes({ id: 1 }), sometimes({ id: 2 })], [true, false]);
});

test.each([
  ["throws", () => Promise.reject(new Error("no luck")), /no luck/],
  ["hangs", hang, /did not return within 30 s/],
  ["is not a function", "nonsense" as never, /not a function/],
])("EXT2 an extension that %s registers nothing, and the others continue", async (_, extension, why) => {
  const registers = async (pith: ExtensionApi): Promise<void> => {
    registerAll(pith);
    await extension();
  };
  const { extensions } = await assemble({ bad: registers, good: registerAll });
  assert.deepEqual(
    extensions.list.map(({ name }) => name),
    ["good"],
  );
  assert.equal(extensions.tools.length, 1);
  assert.equal(extensions.notes.length, 1);
  assert.match(extensions.notes[0] ?? "", why);
});

test("EXT3 registration is refused after the function has returned", async () => {
  let kept: ExtensionApi | undefined;
  const { extensions } = await assemble({
    one: (pith) => {
      kept = pith;
    },
  });
  assert.throws(() => kept?.on("agent_start", () => {}), /too late to register/);
  assert.throws(() => kept?.registerTool(tool("late")), /before the extension's function returns/);
  assert.deepEqual(extensions.tools, []);
});

test("EXT4 a name can be registered once and never replaces a built-in one", async () => {
  const brings = (pith: ExtensionApi): void => {
    for (const name of ["read", "mine"]) pith.registerTool(tool(name));
    for (const name of ["tree", "mine"]) pith.registerCommand(name, { description: "It.", run: async () => undefined });
    pith.registerState("mine", () => null);
  };
  const { extensions } = await assemble({ one: brings, two: brings }, { tools: ["read"], commands: ["tree"] });
  assert.deepEqual(
    extensions.list.map(({ tools, commands, states }) => ({ tools, commands, states })),
    [
      { tools: ["mine"], commands: ["mine"], states: ["mine"] },
      { tools: [], commands: [], states: [] },
    ],
  );
  assert.equal(extensions.notes.length, 7);
  for (const note of extensions.notes) assert.match(note, /ignored: the name is already in use/);
});

test("EXT4 invalid items are ignored, and the rest takes effect", async () => {
  const { extensions } = await assemble({
    one: (pith) => {
      const odd = pith as unknown as Readonly<Record<keyof ExtensionApi, (...values: readonly unknown[]) => void>>;
      odd.on("agent_started", () => {});
      odd.on("agent_start", "nonsense");
      for (const name of ["1st", "a b", "", 7, "x".repeat(65)]) odd.registerTool({ ...tool("any"), name });
      odd.registerTool({ ...tool("bare"), parameters: { type: "string" } });
      odd.registerTool({ ...tool("mute"), run: null });
      odd.registerTool(null);
      for (const name of ["Upper", "a b", "/a", 7]) odd.registerCommand(name, { description: "It.", run: hang });
      odd.registerCommand("empty", null);
      odd.registerState("", () => null);
      odd.registerState("mute", "text");
      odd.registerSummarizer({ name: "" });
      odd.registerRules({ deny: "bash(rm)" });
      pith.registerTool(tool("fine"));
    },
  });
  assert.equal(extensions.notes.length, 19);
  assert.deepEqual(extensions.list[0]?.tools, ["fine"]);
  assert.deepEqual(
    { ...extensions.list[0], tools: [] },
    {
      ...{ name: "one", events: [], tools: [], commands: [], states: [], rules: [], writes: false },
    },
  );
});

test("EXT5 actions affect the session after bind, and not after it has ended", async () => {
  const done: string[] = [];
  let kept: ExtensionApi | undefined;
  const { extensions } = await assemble({
    one: (pith) => {
      kept = pith;
    },
  });
  await assert.rejects(async () => kept?.appendEntry("mine"), /in session_start or later/);
  extensions.bind(recordActions(done));
  await kept?.appendEntry("mine");
  await kept?.setSessionName("a name");
  assert.deepEqual(done, ["appendEntry mine", "setSessionName a name"]);
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  await assert.rejects(async () => kept?.sendUserMessage("hello"), /this session has ended; the call had no effect/);
  assert.equal(done.length, 2);
});

test("EXT5 a failed action that is not awaited is reported and does not end the program", async () => {
  let kept: ExtensionApi | undefined;
  let context: ExtensionContext | undefined;
  const { extensions, failures } = await assemble({
    one: (pith) => {
      kept = pith;
      pith.on("session_start", (_, given) => {
        context = given;
      });
    },
  });
  extensions.bind(recordActions([]));
  await extensions.dispatch({ type: "session_start", reason: "startup" });
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  void kept?.appendEntry("mine");
  void context?.ui.select("Which?", [7 as never]);
  await quiet();
  assert.deepEqual(failures.map(({ extension, event }) => `${extension} ${event}`).sort(), [
    "one appendEntry",
    "one ui.select",
  ]);
});

test("EXT8 an error of a command is reported and shown", async () => {
  const { extensions, failures } = await assemble({
    one: (pith) => {
      pith.registerCommand("say", { description: "It.", run: async (words) => `said ${words}` });
      pith.registerCommand("fail", { description: "It.", run: () => Promise.reject(new Error("no luck")) });
      pith.registerCommand("odd", { description: "It.", run: async () => 7 as never });
    },
  });
  const answers: unknown[] = [];
  for (const command of extensions.commands)
    answers.push(await extensions.runCommand(command, "it", createContext([], recordActions([]).context().ui)));
  assert.deepEqual(answers, [
    { type: "ran", text: "said it" },
    { type: "failed", why: "/fail from extension one failed: no luck" },
    { type: "ran" },
  ]);
  assert.deepEqual(failures, [
    { extension: "one", event: "/fail", why: "no luck" },
    { extension: "one", event: "/odd", why: "run must return a string or undefined" },
  ]);
});

test("EXT6 each handler gets a copy of each event once, in order", async () => {
  const received: string[] = [];
  const spoils =
    (name: string) =>
    (pith: ExtensionApi): void => {
      for (const event of ["message_end", "turn_end", "message_start"] as const)
        pith.on(event, (receivedEvent) => {
          const { message } = receivedEvent as { readonly message: { content: unknown } };
          received.push(`${name} ${receivedEvent.type} ${JSON.stringify(message.content)}`);
          message.content = "spoilt";
        });
    };
  const { extensions } = await assemble({ one: spoils("one"), two: spoils("two") });
  const message = { role: "user", content: "hello", timestamp: 0 } as const;
  for (const hook of extensions.hooks.message_end ?? []) await hook({ type: "message_end", message });
  extensions.onEvent({ type: "message_start", message });
  extensions.onEvent({ type: "message_end", message });
  await quiet();
  assert.deepEqual(received, [
    'one message_end "hello"',
    'two message_end "hello"',
    'one message_start "hello"',
    'two message_start "hello"',
  ]);
  assert.equal(message.content, "hello");
});

test("EXT6 two extensions with the same name get each event once", async () => {
  const received: string[] = [];
  const extension = (pith: ExtensionApi): void => pith.on("agent_start", ({ type }) => void received.push(type));
  const named = [
    { name: "one", extension },
    { name: "one", extension },
  ];
  const extensions = await createExtensions(named, {
    runtime: testRuntime,
    report: () => {},
    builtInTools: [],
    builtInCommands: [],
  });
  extensions.onEvent({ type: "agent_start" });
  await quiet();
  assert.deepEqual(received, ["agent_start", "agent_start"]);
});
