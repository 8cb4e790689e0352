/** Every subcommand from its words to its exit code. */

import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseCall } from "../../src/subcommands/parse.ts";
import { subcommands } from "../../src/subcommands/subcommands.ts";
import { SubcommandRunner } from "../support/subcommand-runner.ts";

let runner: SubcommandRunner;

beforeEach(() => {
  runner = new SubcommandRunner();
});

afterEach(() => runner.remove());

test.each(subcommands.map((each) => [each.name, each] as const))(
  "SUB4 pith %s --help prints the description, the flags and valid examples",
  async (name, { description, examples, flags }) => {
    const { code, out, notes } = await runner.run(...name.split(" "), "--help");
    expect({ code, notes }).toEqual({ code: 0, notes: [] });
    for (const part of [description, ...examples, ...Object.keys(flags).map((flag) => `--${flag}`), "--json"])
      expect(out).toContain(part);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples)
      expect(wordsOf(example).slice(0, name.split(" ").length + 1)).toEqual(["pith", ...name.split(" ")]);
    const subcommand = subcommands.find((each) => each.name === name);
    for (const example of examples)
      expect(subcommand && parseCall(subcommand, wordsOf(example).slice(1 + name.split(" ").length))).toMatchObject({
        type: "call",
      });
  },
);

test("SUB4 the help of a group lists its subcommands, and the group alone runs list", async () => {
  const help = await runner.run("sessions", "--help");
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining("sessions show SESSION") });
  expect(await runner.run("sessions", "--json")).toEqual(await runner.run("sessions", "list", "--json"));
});

test("SUB4 pith help NAME shows the same as pith NAME --help; other text is a prompt", async () => {
  for (const name of ["sessions", "sessions list", "compact"]) {
    const words = name.split(" ");
    expect(await runner.run("help", ...words)).toEqual(await runner.run(...words, "--help"));
  }
  for (const words of [["help"], ["help", "compact", "the", "code"], ["fix", "this", "--help"], ["nobody"]])
    expect(await runner.run(...words)).toEqual({ code: null, out: "", notes: [] });
});

test.each([
  ["export", "did you mean pith help sessions export?"],
  ["update", "did you mean pith help models update?"],
  [
    "list",
    "did you mean pith help sessions list or pith help models list or pith help extensions list or pith help mcp list?",
  ],
  ["sesions", "did you mean pith help sessions?"],
  ["nobody", "pith --help lists all subcommands."],
])("SUB4 pith help %s reports that there is no such subcommand, with suggestions", async (name, hint) => {
  expect(await runner.run("help", name)).toEqual({
    code: 2,
    out: "",
    notes: [
      `pith: there is no subcommand named ${name}; ${hint} To send this text to the model: pith -p "help ${name}"`,
    ],
  });
});

test("SUB5 a subcommand exits with 0 on success, 1 on failure and 2 on a mistake, which is printed to standard error only", async () => {
  expect(await runner.run("sessions", "list")).toMatchObject({ code: 0, notes: [] });
  const mistaken = await runner.run("sessions", "show", "nobody");
  expect(mistaken).toEqual({ code: 2, out: "", notes: [expect.stringContaining("pith sessions list --all")] });
  expect(await runner.run("explain")).toEqual({ code: null, out: "", notes: [] });
});

const evil = "\x1b]0;owned\x07 \x9b2J \u202eevil \u{e0041} \u2028 \ud800";

test("SUB6 text of others is printed without control sequences, and as JSON with the same value (S12)", async () => {
  const path = await runner.add({ prompt: `Hello ${evil}`, name: `Name ${evil}` });
  for (const args of [["list"], ["show", path], ["show", path, "--tree"], ["stats"], ["show", evil]]) {
    const { out, notes } = await runner.run("sessions", ...args);
    expect(out).not.toMatch(STEERS);
    const { out: json } = await runner.run("sessions", ...args, "--json");
    expect(json).not.toMatch(STEERS);
    expect(notes.length).toBeLessThan(2);
  }
  const { entries } = (await runner.json("sessions", "show", path)) as {
    entries: readonly { message?: { content: string } }[];
  };
  expect(entries[0]?.message?.content).toContain("\x1b]0;owned\x07 \x9b2J \u202eevil");
});

test("SUB6 line breaks in messages and names cannot fake another entry or line", async () => {
  const cwd = `/work\n00000000     now     1 B  a session that nobody had`;
  await runner.add({ prompt: "Hi.\nuser · 2026-01-01 00:00 · 0123\nI never said this.", cwd });
  const { out } = await runner.run("sessions", "list", "--all");
  expect(out.trim().split("\n")).toHaveLength(1);
  const listed = (await runner.json("sessions", "list", "--all")) as { sessions: readonly { path: string }[] };
  const { out: read } = await runner.run("sessions", "show", listed.sessions[0]?.path ?? "");
  expect(read.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(1);
});

test("SUB16 secrets in a session of another program are redacted", async () => {
  runner.environment = { ...runner.environment, DEPLOY_TOKEN: `Zk9-vT3qLm7w${"Xb2rNc8sPd4f"}` };
  const path = await runner.add({ prompt: "Deploy with Zk9-vT3qLm7wXb2rNc8sPd4f now." });
  for (const args of [
    ["list", "--folder", dirname(path)],
    ["show", path],
    ["show", path, "--tree"],
    ["search", "deploy"],
  ]) {
    const runs = [await runner.run("sessions", ...args), await runner.run("sessions", ...args, "--json")];
    for (const { code, out } of runs) {
      expect(code).toBe(0);
      expect(out).toContain("Deploy with");
      expect(out).not.toContain("vT3qLm7wXb2r");
    }
  }
});

const STEERS = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\n\t]]/v;

/** As a shell parts them, for the little that examples need. */
function wordsOf(line: string): readonly string[] {
  const [command = ""] = line.split(/ [<>] /);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
}
