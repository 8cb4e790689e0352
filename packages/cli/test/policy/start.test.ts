/** A policy that is malformed, or that others than root could change, stops the built program in every mode, whoever starts it. */

import { chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer, type TestServer } from "@pith/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandResult, Machine, ORDINARY, type PolicyFile, runCommand } from "./machine.ts";

let machine: Machine;
let server: TestServer;

beforeAll(async () => {
  machine = await Machine.open();
  server = await startServer({ script: () => "Here I am." });
});

afterAll(async () => {
  machine?.close();
  await server?.close();
});

interface StartOptions {
  readonly policy: PolicyFile | null;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
}

async function pith({ policy, args, variables, input }: StartOptions): Promise<CommandResult> {
  const home = machine.folder("home");
  const command = machine.command(args, policy === null ? null : machine.policy(policy), policy?.etcMode);
  const key = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const env = { PATH: process.env.PATH, HOME: home, ...key, ...variables };
  return await runCommand(command, { cwd: machine.folder("work"), env, ...(input !== undefined && { input }) });
}

const good = '// for all\n{ "permissions": { "modes": ["plan", "ask", "edit"] } }';

/** What is wrong, and the words that say so. */
const broken: readonly (readonly [string, PolicyFile, string])[] = [
  ["text that is no JSON", { text: "{ models" }, "/etc/pith/policy.json:1:3:"],
  ["nothing at all", { text: "" }, "/etc/pith/policy.json:1:1:"],
  ["a list", { text: "[]" }, "one object"],
  ["an unknown name", { text: '{\n"model": {} }' }, "/etc/pith/policy.json:2: model is not a policy item"],
  [
    "an unknown name in a group",
    { text: '{ "models": { "alow": [] } }' },
    "models.alow is not a policy item; did you mean models.allow?",
  ],
  [
    "a value of the wrong type",
    { text: '{ "models": { "allow": "anthropic/*" } }' },
    'models.allow is "anthropic/*"; expected',
  ],
  ["a group that is none", { text: '{ "network": "off" }' }, 'network is "off"; expected { … }'],
  ["a name twice", { text: '{ "sandbox": "required", "sandbox": "required" }' }, "duplicate name"],
  ["a rule that is none", { text: '{ "permissions": { "deny": ["bsh(rm:*)"] } }' }, "permissions.deny is"],
  ["no mode at all", { text: '{ "permissions": { "modes": [] } }' }, "permissions.modes is []"],
  [
    "a server by a program of no place",
    { text: '{ "mcp": { "allow": [{ "name": "a", "command": "npx" }] } }' },
    "mcp.allow is",
  ],
  [
    "an item that this version cannot hold",
    { text: '{ "permissions": { "modes": ["none"] } }' },
    "permissions.modes is",
  ],
  ["another owner", { text: good, owner: ORDINARY }, "is owned by user 1000 instead of root"],
  ["a file that a group can change", { text: good, mode: 0o664 }, "is writable by users other than root"],
  ["a file that all can change", { text: good, mode: 0o646 }, "is writable by users other than root"],
  ["a link", { text: good, isLink: true }, "is a symbolic link; replace it with the file itself"],
  ["a folder in its place", { text: good, isFolder: true }, "is not a regular file"],
  ["a file that is closed", { text: good, mode: 0o600 }, "is not readable by this user"],
  ["a folder that is closed", { text: good, folderMode: 0o700 }, "is not readable by this user"],
  ["a folder of another owner", { text: good, folderOwner: ORDINARY }, "is in /etc/pith, which is owned by user 1000"],
  [
    "a folder that a group can change",
    { text: good, folderMode: 0o775 },
    "is in /etc/pith, which is writable by users other",
  ],
  [
    "a folder above that all can change",
    { text: good, etcMode: 0o777 },
    "is in /etc, which is writable by users other",
  ],
  ["too many bytes", { text: `${good}${" ".repeat(300_000)}` }, "is too large"],
];

describe.each(broken)("%s", (_, policy, words) => {
  test("POL4 prevents the start, with the reason and who can fix it", async () => {
    const run = await pith({ policy, args: ["-p", "hello"] });
    expect(run).toMatchObject({ code: 2, out: "" });
    expect(run.notes).toContain(words);
    expect(run.notes).toMatch(/^pith: your organization's policy cannot be used: \/etc\/pith\/policy\.json/);
    expect(run.notes).toContain("until an administrator of this machine fixes it");
    expect(server.requests).toEqual([]);
  });
});

const malformed: PolicyFile = { text: '{ "modls": {} }' };
const foreign: PolicyFile = { text: good, owner: ORDINARY };

/** Every mode, and every subcommand that could run a model or a tool. */
const starts: readonly (readonly string[])[] = [
  ["-p", "hello"],
  ["-p", "/help"],
  ["--mode", "json", "-p", "hello"],
  ["--mode", "rpc"],
  ["--mode", "acp"],
  ["--plain"],
  ["-c"],
  ["compact", "last"],
  ["extensions", "add", "--yes", "./any.ts"],
  ["extensions", "list"],
  ["mcp", "list"],
  ["mcp", "test", "any"],
  ["mcp", "trust", "any", "--yes"],
  ["settings"],
];

test.each(starts)("POL4 pith %s %s %s does not start if the policy cannot be used", async (...args) => {
  const words = args.filter((word) => word !== undefined);
  for (const policy of [malformed, foreign]) {
    const { code, notes } = await pith({ policy, args: words });
    expect(notes).toContain("your organization's policy cannot be used");
    expect(code).toBe(2);
  }
  expect(server.requests).toEqual([]);
});

test("POL4 the interactive mode does not start in a terminal", async () => {
  const { command, args } = machine.command([], machine.policy(malformed));
  const inTerminal = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  const env = { PATH: process.env.PATH, HOME: machine.folder("home"), TERM: "xterm", ANTHROPIC_API_KEY: "any" };
  const words = { command: "python3", args: ["-c", inTerminal, command, ...args] };
  const run = await runCommand(words, { cwd: machine.folder("work"), env });
  expect(run.out).toContain("your organization's policy cannot be used");
  expect(run.code).toBe(2);
});

test("POL4 JSON mode reports the malformed policy as one error line", async () => {
  const { out } = await pith({ policy: malformed, args: ["--mode", "json", "-p", "hello"] });
  expect(JSON.parse(out)).toMatchObject({
    type: "error",
    error: expect.stringContaining("modls is not a policy item"),
  });
});

test("POL5 help, version and doctor work with a malformed policy, and doctor shows the error", async () => {
  expect((await pith({ policy: malformed, args: ["--help"] })).code).toBe(0);
  expect((await pith({ policy: malformed, args: ["--version"] })).code).toBe(0);
  expect((await pith({ policy: malformed, args: ["mcp", "list", "--help"] })).code).toBe(0);
  const doctor = await pith({ policy: malformed, args: ["doctor"] });
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(/ERROR +policy: .*modls is not a policy item/);
});

test("POL5 doctor shows the policy in effect, or that there is none", async () => {
  expect((await pith({ policy: { text: good }, args: ["doctor"] })).out).toMatch(
    /ok +policy: \/etc\/pith\/policy\.json limits permissions/,
  );
  expect((await pith({ policy: null, args: ["doctor"] })).out).toMatch(
    /ok +policy: none \(\/etc\/pith\/policy\.json does not exist\)/,
  );
});

test("POL3 pith works with a valid policy and without one", async () => {
  for (const policy of [{ text: good }, { text: "{}" }, null]) {
    const run = await pith({ policy, args: ["-p", "hello"] });
    expect({ code: run.code, out: run.out.trim() }).toEqual({ code: 0, out: "Here I am." });
  }
});

test("POL3 neither variables nor files of the user change the policy's path", async () => {
  const elsewhere = machine.folder("elsewhere");
  for (const folder of ["pith", "etc/pith", ".config/pith", ".pith"]) {
    mkdirSync(join(elsewhere, folder), { recursive: true });
    writeFileSync(join(elsewhere, folder, "policy.json"), "{}");
  }
  symlinkSync(elsewhere, join(elsewhere, "link"));
  const names = [
    "HOME",
    "PITH_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "PITH_POLICY",
    "PITH_POLICY_FILE",
    "PROGRAMDATA",
  ];
  for (const name of names) {
    const path = name === "PITH_HOME" ? join(elsewhere, ".pith") : elsewhere;
    chownSync(path, ORDINARY, ORDINARY);
    const { code, notes } = await pith({ policy: malformed, args: ["-p", "hello"], variables: { [name]: path } });
    expect({ name, code }).toEqual({ name, code: 2 });
    expect(notes).toContain("/etc/pith/policy.json:1: modls");
  }
});
