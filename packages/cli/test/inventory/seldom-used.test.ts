/** What no story needs, used once all the same, so that all that one can type is known to work. */

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { idOf, SubcommandRunner } from "../support/subcommand-runner.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;
let runner: SubcommandRunner;

beforeEach(() => {
  program = new TestProgram();
  runner = new SubcommandRunner();
});

afterEach(async () => {
  await program.remove();
  runner.remove();
});

test("AGT12 --agent uses the agent's text as the system prompt, and an unknown name is answered with the known ones", async () => {
  mkdirSync(join(program.home, "agents"));
  const text = "---\nname: poet\ndescription: Writes verses.\n---\nSpeak in verses.\n";
  writeFileSync(join(program.home, "agents/poet.md"), text);
  const { code, out } = await program.runWithScript(["-p", "--agent", "poet", "hello"], ["roses"]);
  expect({ code, out }).toEqual({ code: 0, out: "roses\n" });
  expect(JSON.stringify(program.lastRequestBody())).toContain("Speak in verses.");
  const other = await program.runWithScript(["-p", "--agent", "poem", "hello"], []);
  expect(other).toMatchObject({ code: 2, notes: expect.stringMatching(/no agent named poem.*poet/) });
});

test("PRT5 flags for one run set its system prompt, thinking level, session, skills and network", async () => {
  const skill = join(program.home, "skills/deploy");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\nname: deploy\ndescription: How to deploy.\n---\nSay it.\n");
  const flags = [
    "--no-session",
    "--no-skills",
    "--network",
    "off",
    "--thinking",
    "high",
    "--system-prompt",
    "Be brief.",
  ];
  const { code, out } = await program.runWithScript(["-p", ...flags, "hello"], ["hi"]);
  expect({ code, out }).toEqual({ code: 0, out: "hi\n" });
  const { system, thinking } = program.lastRequestBody() as { readonly system: unknown; readonly thinking: unknown };
  expect(JSON.stringify(system)).toContain("Be brief.");
  expect(JSON.stringify(system)).not.toContain("deploy");
  expect(thinking).toMatchObject({ type: expect.stringMatching(/enabled|adaptive/) });
  expect(readdirSync(program.home)).not.toContain("sessions");
});

test("COM1 aliases of a command do the same as the command", async () => {
  await program.runWithScript(["-p", "the first words"], ["hi"]);
  const variables = { ANTHROPIC_API_KEY: "any" };
  const branch = await program.run(["-p", "-c", "/branch"], { variables });
  expect(branch).toMatchObject({ code: 0, out: expect.stringContaining("the first words") });
  expect(await program.run(["-p", "-c", "/clear"], { variables })).toMatchObject({ code: 0 });
  expect(await program.run(["-p", "-c", "/exit"], { variables })).toMatchObject({ code: 0 });
});

test("LOOK1 /copy, /diff, /seen, /rules and /transcript work with pith -p", async () => {
  await program.runWithScript(["-p", "write a note"], [write, "It is *written*."]);
  const variables = { ANTHROPIC_API_KEY: "any" };
  const runCommandLine = async (command: string) => (await program.run(["-p", "-c", command], { variables })).out;
  expect(await runCommandLine("/copy")).toContain("It is *written*.");
  expect(await runCommandLine("/diff")).toContain("+remember the milk");
  expect(await runCommandLine("/seen")).toContain("write a note");
  expect(await runCommandLine("/rules")).toMatch(/^Your messages, word for word:\n {2}#\d+ {2}write a note\n/);
  expect(await runCommandLine("/transcript")).toContain("It is *written*.");
});

const write = {
  parts: [{ type: "call", name: "write", arguments: { path: "note.txt", content: "remember the milk\n" } }],
} as const;

test("PLN13 plain mode works with input from a pipe", async () => {
  const { code, out } = await program.runWithScript(["--plain"], ["Hello, you."], {
    input: "hi there\n",
  });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Hello, you.") });
});

test("SUB5 subcommands that change something report it as JSON", async () => {
  const path = await runner.add({ prompt: "Precious." });
  const id = idOf(path);
  expect(await runner.json("sessions", "rm", id)).toMatchObject({ trashed: [{ id, path }] });
  expect(await runner.json("sessions", "restore", id)).toMatchObject({ path });
  expect(await runner.json("sessions", "rebind", id, runner.home)).toMatchObject({ cwd: runner.home });
  expect(JSON.stringify(await runner.json("completions", "bash"))).toContain("complete");
});

test("TRU11 pith trust shows, saves, lists and revokes trust, also as JSON", async () => {
  mkdirSync(join(runner.folder, ".pith"));
  writeFileSync(join(runner.folder, ".pith/settings.json"), "{}");
  expect((await runner.run("trust", "--show")).out).toContain("settings.json");
  expect(await runner.run("trust", "--yes")).toMatchObject({ code: 0 });
  expect((await runner.run("trust", "--list")).out).toContain(runner.folder);
  expect(JSON.stringify(await runner.json("trust", "--list"))).toContain(runner.folder);
  expect(await runner.run("trust", "--revoke")).toMatchObject({ code: 0 });
  expect((await runner.run("trust", "--list")).out).not.toContain(runner.folder);
});

test("SUB5 pith extensions and pith mcp print JSON", async () => {
  mkdirSync(join(program.home, "extensions"));
  writeFileSync(join(program.home, "extensions/mine.js"), "export default () => {};\n");
  writeFileSync(
    join(program.home, "settings.json"),
    JSON.stringify({ mcpServers: { gone: { command: "no-such-program-here" } } }),
  );
  const runForJson = async (...args: readonly string[]) => (await program.run([...args, "--json"])).out;
  expect(await runForJson("extensions", "list", "--trust")).toContain("mine.js");
  expect(await runForJson("extensions", "rm", "mine.js")).toContain("mine.js");
  expect(await runForJson("mcp", "list")).toContain("gone");
  expect((await program.run(["mcp", "test", "gone", "--json"])).code).toBe(1);
  expect((await program.run(["mcp", "trust", "gone", "--json"])).code).toBe(1);
});
