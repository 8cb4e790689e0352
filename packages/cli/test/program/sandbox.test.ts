/** The program as a process: what its commands see of it, and who makes their sandbox. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const lastBodyText = (): string => JSON.stringify(program.lastRequestBody());

const call = (command: string) => ({ parts: [{ type: "call" as const, name: "bash", arguments: { command } }] });

test("BOX1 a command sees no keys, sessions or originals in Pith's home", async () => {
  writeFileSync(join(program.home, "keys.json"), '{"openai":"sk-secret"}', { mode: 0o600 });
  const command = `ls -A ${program.home} | wc -l; cat ${program.home}/keys.json; touch ${program.home}/new`;
  await program.runWithScript(["-p", "go"], [call(command), "Done."]);
  expect(lastBodyText()).toMatch(/No such file or directory\\n0\\n/);
  expect(lastBodyText()).not.toContain("sk-secret");
  expect(existsSync(join(program.home, "new"))).toBe(false);
});

test("BOX13 a command sees no variable that looks like a secret, except those in sandboxEnvironment", async () => {
  const settings = { sandboxEnvironment: ["SHOWN_TOKEN", "ANTHROPIC_API_KEY"] };
  writeFileSync(join(program.home, "settings.json"), JSON.stringify(settings));
  const { url } = await program.serve([call("env >env.txt"), "Done."]);
  await program.run(["-p", "go"], {
    variables: {
      ANTHROPIC_API_KEY: "any",
      ANTHROPIC_BASE_URL: url,
      PATH: process.env.PATH ?? "",
      DEPLOY_TOKEN: "short",
      DATABASE_ADDRESS: "postgres://me:pass-1234-word@db.example.com/shop",
      SHOWN_TOKEN: "shown-on-purpose",
      REGION: "eu",
    },
  });
  const variables = readFileSync(join(program.folder, "env.txt"), "utf8");
  expect(variables).not.toMatch(/DEPLOY_TOKEN|DATABASE_ADDRESS|ANTHROPIC_API_KEY/);
  expect(variables).toMatch(/^SHOWN_TOKEN=shown-on-purpose$/m);
  expect(variables).toMatch(/^REGION=eu$/m);
});

const fileCall = (name: string, args: Record<string, string>) => ({
  parts: [{ type: "call" as const, name, arguments: args }],
});

test("FILE26 file tools and commands share one private /tmp, which is deleted with the session", async () => {
  const name = `/tmp/pith-test-${process.pid}-${Date.now()}`;
  await program.runWithScript(
    ["-p", "go"],
    [
      fileCall("write", { path: `${name}.sh`, content: "echo made by a script >$1\n" }),
      call(`sh ${name}.sh ${name}.txt`),
      fileCall("read", { path: `${name}.txt` }),
      fileCall("read", { path: `${name}.other` }),
      "Done.",
    ],
  );
  expect(lastBodyText()).toContain("made by a script\\n");
  expect(lastBodyText()).toContain(`${name}.other does not exist`);
  expect([`${name}.sh`, `${name}.txt`].map((path) => existsSync(path))).toEqual([false, false]);
});

test("FILE27 a file of others in /tmp can be read, and is not changed without permission", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-theirs-"));
  const theirs = join(folder, "notes.txt");
  writeFileSync(theirs, "theirs\n");
  const edit = { path: theirs, content: "mine\n" };
  await program.runWithScript(["-p", "go"], [fileCall("read", { path: theirs }), fileCall("write", edit), "Done."]);
  expect(lastBodyText()).toContain("theirs");
  expect(readFileSync(theirs, "utf8")).toBe("theirs\n");
  rmSync(folder, { recursive: true });
});

test("BOX7 an executable of the project with the name bwrap is not run", async () => {
  const programs = join(program.folder, "node_modules/.bin");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "bwrap"), `#!/bin/sh\ntouch ${program.home}/HIT\n`, { mode: 0o755 });
  const { url } = await program.serve([call("echo ran"), "Done."]);
  const PATH = `${programs}:${process.env.PATH}`;
  const { notes } = await program.run(["-p", "go"], {
    variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, PATH },
  });
  expect(notes).toContain("bash [sandbox] echo ran");
  expect(existsSync(join(program.home, "HIT"))).toBe(false);
});

test("SKL12 a command can read and run skills in Pith's home, and cannot write there", async () => {
  const folder = join(program.home, "skills/ship/scripts");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "go.sh"), "echo shipped by a script\n");
  writeFileSync(join(program.home, "keys.json"), '{"openai":"sk-secret"}', { mode: 0o600 });
  const command = `sh ${folder}/go.sh; ls -A ${program.home}; touch ${folder}/new`;
  await program.runWithScript(["-p", "go"], [call(command), "Done."]);
  expect(lastBodyText()).toMatch(/shipped by a script\\nskills\\n/);
  expect(lastBodyText()).toContain("Read-only file system");
  expect(existsSync(join(folder, "new"))).toBe(false);
});
