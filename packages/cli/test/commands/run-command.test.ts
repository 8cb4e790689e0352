/** Tests which words are commands, and the answer to an unknown command. */

import { expect, test } from "vitest";
import { commands } from "../../src/commands/commands.ts";
import { runCommand } from "../../src/commands/run-command.ts";
import { createCommandContext, runForResult } from "../support/command-context.ts";

const forTheModel = [
  "fix the login",
  "/usr/bin/x is missing",
  "/",
  "/ help",
  " /help",
  "say /help",
  "//",
  "// TODO mend this",
  "//TODO: mend this",
  "/etc/hosts",
  "/a_b",
  "/foo.md says so",
  "/help/tree",
];

test("COM1 a line that does not begin with a slash and one word is sent to the model", async () => {
  const context = await createCommandContext([], { isStored: false });
  for (const words of forTheModel) {
    expect(await runCommand(words, context), words).toBeNull();
  }
});

test("COM1 a command is recognized by each of its names, followed by any white space", async () => {
  const context = await createCommandContext([], { isStored: false });
  for (const words of ["/help", "/help  ", "/help\ntree", "/help\ttree"])
    expect(await runCommand(words, context), words).toMatchObject({ type: "success" });
  expect(await runCommand("/exit", context)).toEqual({ type: "quit" });
  expect(await runCommand("/quit", context)).toEqual({ type: "quit" });
});

test("COM2 an unknown command is answered with the closest one and how to send the line to the model", async () => {
  const context = await createCommandContext([], { isStored: false });
  const answer = await runForResult("/compcat now", context);
  expect(answer).toEqual({
    type: "mistake",
    message: "unknown command /compcat; did you mean /compact? To send it to the model, type //compcat",
  });
  expect(await runForResult("/zzzzzzzz", context)).toMatchObject({
    message: expect.stringContaining("/help lists all commands"),
  });
  expect(await runForResult("//compcat now", context)).toEqual({ type: "prompt", content: "/compcat now" });
  expect(await runForResult("//help", context)).toEqual({ type: "prompt", content: "/help" });
});

test("COM3 a template is filled with its arguments and sent to the model; a command of the same name wins", async () => {
  const filled = async (name: string, words: string): Promise<string | null> =>
    ["review", "help", "skill:pdf"].includes(name) ? `${name}(${words})` : null;
  const templates = { expand: filled, list: async () => [{ name: "review", description: "looks at a change" }] };
  const context = await createCommandContext([], { isStored: false, context: { templates } });
  expect(await runForResult("/review  the last commit", context)).toEqual({
    type: "prompt",
    content: "review(the last commit)",
  });
  expect(await runForResult("/skill:pdf a.pdf", context)).toEqual({ type: "prompt", content: "skill:pdf(a.pdf)" });
  expect(await runForResult("/help", context)).toMatchObject({
    type: "success",
    text: expect.stringContaining("/review"),
  });
  expect(await runForResult("/reveiw", context)).toMatchObject({
    message: expect.stringContaining("did you mean /review?"),
  });
});

test("COM3 a template that is empty without arguments is a mistake that asks for arguments", async () => {
  const templates = { expand: async () => "", list: async () => [{ name: "echo", description: "$@" }] };
  const context = await createCommandContext([], { isStored: false, context: { templates } });
  expect(await runForResult("/echo", context)).toEqual({
    type: "mistake",
    message: "/echo is empty without arguments; type some text after it",
  });
});

test("COM4 every command has a description and a unique name, and /help shows one or all of them", async () => {
  const context = await createCommandContext([], { isStored: false });
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  const help = await runForResult("/help", context);
  for (const { name, description, examples = [] } of commands) {
    expect(help).toMatchObject({ text: expect.stringContaining(`/${name}`) });
    expect(await runForResult(`/help ${name}`, context)).toMatchObject({ text: expect.stringContaining(description) });
    for (const example of examples) expect(example).toMatch(new RegExp(`^/${name}\\b`));
  }
  expect(await runForResult("/help /tree", context)).toMatchObject({ type: "success" });
  expect(await runForResult("/help nonsense", context)).toMatchObject({ type: "mistake" });
});

test("COM41 arguments of a command that takes none are a mistake, and nothing is done", async () => {
  const context = await createCommandContext(["user: hello", "says: hi"]);
  const { leaf } = context.agent.session;
  for (const { name, argumentHint } of commands.filter((command) => command.argumentHint === undefined))
    expect(await runForResult(`/${name} the last edit`, context), `${name} ${argumentHint}`).toEqual({
      type: "mistake",
      message: expect.stringMatching(new RegExp(`^/${name} takes no arguments \\(.* type //${name} …$`)),
    });
  expect(context.agent.session.leaf).toBe(leaf);
});

test("COM5 commands that need the session file are a mistake with --no-session", async () => {
  const context = await createCommandContext(["user: hello", "says: hi"], { isStored: false });
  for (const words of ["/fork", "/fork e1", "/clone", "/new", "/export", "/handoff the rest", "/tree e1 --files"])
    expect(await runForResult(words, context), words).toEqual({
      type: "mistake",
      message: expect.stringMatching(/needs a saved session; start Pith without --no-session$/),
    });
});
