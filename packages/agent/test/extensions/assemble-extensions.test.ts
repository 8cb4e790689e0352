/** Extensions of one session: none leaves half of itself, takes what another has, or keeps another from being heard. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { createExtensions, type ExtensionApi, type ExtensionContext, type ExtensionTool } from "../../src/index.ts";
import { actsIn, assembled, contextIn, never, ports, quiet } from "./assembly.ts";

const tool = (name: string): ExtensionTool => ({
  name,
  description: "It does something.",
  parameters: { type: "object" },
  run: async () => ({ content: [] }),
});

function everything(pith: ExtensionApi): void {
  pith.on("turn_end", () => {});
  pith.on("agent_start", () => {});
  pith.registerTool(tool("tool_a"));
  pith.registerCommand("command-a", { description: "It.", run: async () => undefined });
  pith.registerState("state a", () => "now");
  pith.registerWriter({ route: "writer-a", isPaid: false, summarize: () => ({ type: "nothing" }) });
  pith.registerRules({ deny: ["bash(git push)"] });
}

test("EXT1 what one registers counts, and is listed for people", async () => {
  const { extensions, failures } = await assembled({ one: everything });
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
  assert.equal(extensions.summarizers[0]?.route, "writer-a");
  assert.equal(extensions.stateSections[0]?.text(), "now");
  assert.equal(extensions.hooks.turn_end?.length, 1);
  assert.equal(extensions.hooks.message_end, undefined);
});

test.each([
  ["throws", () => Promise.reject(new Error("no luck")), /no luck/],
  ["hangs", never, /not returned within 30 s/],
  ["is no function", "nonsense" as never, /not a function/],
])("EXT2 one that %s leaves nothing, and the others go on", async (_, extension, why) => {
  const registers = async (pith: ExtensionApi): Promise<void> => {
    everything(pith);
    await extension();
  };
  const { extensions } = await assembled({ bad: registers, good: everything });
  assert.deepEqual(
    extensions.list.map(({ name }) => name),
    ["good"],
  );
  assert.equal(extensions.tools.length, 1);
  assert.equal(extensions.notes.length, 1);
  assert.match(extensions.notes[0] ?? "", why);
});

test("EXT3 after its function has returned nothing more is registered", async () => {
  let kept: ExtensionApi | undefined;
  const { extensions } = await assembled({
    one: (pith) => {
      kept = pith;
    },
  });
  assert.throws(() => kept?.on("agent_start", () => {}), /too late to register/);
  assert.throws(() => kept?.registerTool(tool("late")), /before your function returns/);
  assert.deepEqual(extensions.tools, []);
});

test("EXT4 a name is taken once, and never from Pith", async () => {
  const brings = (pith: ExtensionApi): void => {
    for (const name of ["read", "mine"]) pith.registerTool(tool(name));
    for (const name of ["tree", "mine"]) pith.registerCommand(name, { description: "It.", run: async () => undefined });
    pith.registerState("mine", () => null);
  };
  const { extensions } = await assembled({ one: brings, two: brings }, { tools: ["read"], commands: ["tree"] });
  assert.deepEqual(
    extensions.list.map(({ tools, commands, states }) => ({ tools, commands, states })),
    [
      { tools: ["mine"], commands: ["mine"], states: ["mine"] },
      { tools: [], commands: [], states: [] },
    ],
  );
  assert.equal(extensions.notes.length, 7);
  for (const note of extensions.notes) assert.match(note, /does not count: another one has that name/);
});

test("EXT4 what is none of its kind does not count, and the rest does", async () => {
  const { extensions } = await assembled({
    one: (pith) => {
      const odd = pith as unknown as Readonly<Record<keyof ExtensionApi, (...values: readonly unknown[]) => void>>;
      odd.on("agent_started", () => {});
      odd.on("agent_start", "nonsense");
      for (const name of ["1st", "a b", "", 7, "x".repeat(65)]) odd.registerTool({ ...tool("any"), name });
      odd.registerTool({ ...tool("bare"), parameters: { type: "string" } });
      odd.registerTool({ ...tool("mute"), run: null });
      odd.registerTool(null);
      for (const name of ["Upper", "a b", "/a", 7]) odd.registerCommand(name, { description: "It.", run: never });
      odd.registerCommand("empty", null);
      odd.registerState("", () => null);
      odd.registerState("mute", "text");
      odd.registerWriter({ route: "" });
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

test("EXT5 acts reach the session from bind on, and none after it was left", async () => {
  const done: string[] = [];
  let kept: ExtensionApi | undefined;
  const { extensions } = await assembled({
    one: (pith) => {
      kept = pith;
    },
  });
  await assert.rejects(async () => kept?.appendEntry("mine"), /from session_start on/);
  extensions.bind(actsIn(done));
  await kept?.appendEntry("mine");
  await kept?.setSessionName("a name");
  assert.deepEqual(done, ["appendEntry mine", "setSessionName a name"]);
  await extensions.dispatch({ type: "session_shutdown", reason: "quit" });
  await assert.rejects(async () => kept?.sendUserMessage("hello"), /this session was left: nothing was done/);
  assert.equal(done.length, 2);
});

test("EXT5 an act that nobody waits for ends nothing when it fails: it is reported", async () => {
  let kept: ExtensionApi | undefined;
  let context: ExtensionContext | undefined;
  const { extensions, failures } = await assembled({
    one: (pith) => {
      kept = pith;
      pith.on("session_start", (_, given) => {
        context = given;
      });
    },
  });
  extensions.bind(actsIn([]));
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

test("EXT8 what a command throws is reported and shown", async () => {
  const { extensions, failures } = await assembled({
    one: (pith) => {
      pith.registerCommand("say", { description: "It.", run: async (words) => `said ${words}` });
      pith.registerCommand("fail", { description: "It.", run: () => Promise.reject(new Error("no luck")) });
      pith.registerCommand("odd", { description: "It.", run: async () => 7 as never });
    },
  });
  const answers: unknown[] = [];
  for (const command of extensions.commands)
    answers.push(await extensions.runCommand(command, "it", contextIn([], actsIn([]).context().ui)));
  assert.deepEqual(answers, [
    { type: "ran", text: "said it" },
    { type: "failed", why: "/fail of extension one failed: no luck" },
    { type: "ran" },
  ]);
  assert.deepEqual(failures, [
    { extension: "one", event: "/fail", why: "no luck" },
    { extension: "one", event: "/odd", why: "what it answers is no text" },
  ]);
});

test("EXT6 two do not disturb one another: order, copies, and what is told", async () => {
  const heard: string[] = [];
  const spoils =
    (name: string) =>
    (pith: ExtensionApi): void => {
      for (const event of ["message_end", "turn_end", "message_start"] as const)
        pith.on(event, (told) => {
          const { message } = told as { readonly message: { content: unknown } };
          heard.push(`${name} ${told.type} ${JSON.stringify(message.content)}`);
          message.content = "spoilt";
        });
    };
  const { extensions } = await assembled({ one: spoils("one"), two: spoils("two") });
  const message = { role: "user", content: "hello", timestamp: 0 } as const;
  for (const hook of extensions.hooks.message_end ?? []) await hook({ type: "message_end", message });
  extensions.onEvent({ type: "message_start", message });
  extensions.onEvent({ type: "message_end", message });
  await quiet();
  assert.deepEqual(heard, [
    'one message_end "hello"',
    'two message_end "hello"',
    'one message_start "hello"',
    'two message_start "hello"',
  ]);
  assert.equal(message.content, "hello");
});

test("EXT6 two that have one name are each told once", async () => {
  const heard: string[] = [];
  const extension = (pith: ExtensionApi): void => pith.on("agent_start", ({ type }) => void heard.push(type));
  const named = [
    { name: "one", extension },
    { name: "one", extension },
  ];
  const extensions = await createExtensions(named, {
    runtime: ports,
    report: () => {},
    builtInTools: [],
    builtInCommands: [],
  });
  extensions.onEvent({ type: "agent_start" });
  await quiet();
  assert.deepEqual(heard, ["agent_start", "agent_start"]);
});
