/** The program as a process: what its commands see of it, and who makes their sandbox. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground } from "../ground.ts";

let ground: Ground;

beforeEach(() => {
  ground = new Ground();
});

afterEach(() => ground.clear());

const told = (): string => JSON.stringify(ground.body());

const call = (command: string) => ({ parts: [{ type: "call" as const, name: "bash", arguments: { command } }] });

test("BOX1 a command sees nothing of the home of the program: no keys, no sessions, no originals", async () => {
  writeFileSync(join(ground.home, "keys.json"), '{"openai":"sk-secret"}', { mode: 0o600 });
  const command = `ls -A ${ground.home} | wc -l; cat ${ground.home}/keys.json; touch ${ground.home}/new`;
  await ground.pith(["-p", "go"], [call(command), "Done."]);
  expect(told()).toMatch(/"0\\n/);
  expect(told()).not.toContain("sk-secret");
  expect(existsSync(join(ground.home, "new"))).toBe(false);
});

test("BOX7 a program of the project that has the name of the sandbox's is not run", async () => {
  const programs = join(ground.folder, "node_modules/.bin");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "bwrap"), `#!/bin/sh\ntouch ${ground.home}/HIT\n`, { mode: 0o755 });
  const { url } = await ground.serve([call("echo ran"), "Done."]);
  const PATH = `${programs}:${process.env.PATH}`;
  const { notes } = await ground.run(["-p", "go"], {
    variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, PATH },
  });
  expect(notes).toContain("bash [sandbox] echo ran");
  expect(existsSync(join(ground.home, "HIT"))).toBe(false);
});

test("SKL12 of the home of the program a command sees the skills, whose scripts it may run, and writes nothing there", async () => {
  const folder = join(ground.home, "skills/ship/scripts");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "go.sh"), "echo shipped by a script\n");
  writeFileSync(join(ground.home, "keys.json"), '{"openai":"sk-secret"}', { mode: 0o600 });
  const command = `sh ${folder}/go.sh; ls -A ${ground.home}; touch ${folder}/new`;
  await ground.pith(["-p", "go"], [call(command), "Done."]);
  expect(told()).toMatch(/shipped by a script\\nskills\\n/);
  expect(told()).toContain("Read-only file system");
  expect(existsSync(join(folder, "new"))).toBe(false);
});
