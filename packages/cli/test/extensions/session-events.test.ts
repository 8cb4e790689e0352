/** Tests the program as a process: extensions get events for sessions that begin and end, may keep one in them, and no mistake of theirs harms one. */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Step } from "@pith/testkit";
import { afterAll, beforeAll, test } from "vitest";
import { type ProgramResult, TestProgram } from "../support/test-program.ts";

const program = new TestProgram();
/** One call with all of them for many rules: every start takes a while. */
let went: ProgramResult;
let requestBodies = "";

beforeAll(async () => {
  write(join(program.userHome, "more/prompts/greet.md"), "Say hello to $1.");
  write(join(program.userHome, "more/skills/knit/SKILL.md"), "---\nname: knit\ndescription: How to knit.\n---\nKnit.");
  const more = JSON.stringify(join(program.userHome, "more"));
  for (const name of ["session_start", "session_shutdown", "agent_settled", "thinking_level_select"])
    extend(`hears-${name}.ts`, `${HEAR}\npith.on("${name}", hear);`);
  extend(
    "more.ts",
    `pith.on("resources_discover", () => ({ skillPaths: [${more} + "/skills"], promptPaths: [${more} + "/prompts"] }));`,
  );
  extend("stay.ts", STAY);
  extend("odd.ts", ODD);
  extend("rules.ts", 'pith.registerRules({ deny: ["bash(", "bash(git push)"] });');
  went = await program.runWithScript(["--mode", "json", "go"], CALLS);
  requestBodies = JSON.stringify(program.lastRequestBody());
});

afterAll(() => program.remove());

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function extend(name: string, body: string, root = join(program.home, "extensions")): void {
  const text = `import { appendFileSync } from "node:fs";\nexport default (pith: any) => {\n${body}\n};\n`;
  write(join(root, name), text);
}

/** What they heard, in a file beside the session. */
function readEvents(): readonly { readonly type: string; readonly reason?: string; readonly level?: string }[] {
  const lines = readFileSync(join(program.folder, "heard"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

const HEAR = 'const hear = (text: unknown) => appendFileSync("heard", JSON.stringify(text) + "\\n");';
const STAY =
  'pith.on("session_before_switch", () => ({ cancel: true }));\npith.on("session_before_fork", () => ({ cancel: true }));';
const ODD = `pith.on("tool_result", () => { throw new Error("hook"); });
pith.on("turn_end", () => ({ entries: 3 }));
pith.registerTool({ name: "odd", description: "d", parameters: { type: "object", properties: {} }, intent: () => ({ type: "nothing" }), run: async () => { throw new Error("in the tool"); } });
pith.registerCommand("odd", { description: "d", run: async () => { throw new Error("in the command"); } });`;

const CALLS: readonly Step[] = [
  { parts: [{ type: "call", name: "odd", arguments: {} }] },
  { parts: [{ type: "call", name: "bash", arguments: { command: "git push" } }] },
  "Done.",
];

test("LOAD10 extensions receive session_start and session_shutdown with their reasons", () => {
  const [start, settled, end] = readEvents();
  assert.deepEqual(start, { type: "session_start", reason: "startup" });
  assert.equal(settled?.type, "agent_settled");
  assert.deepEqual(end, { type: "session_shutdown", reason: "quit" });
});

test("LOAD15 an extension that throws in a hook, a tool or a command is named, and the session is intact", async () => {
  assert.equal(went.code, 0, went.notes);
  assert.match(went.notes, /the extension odd\.ts failed during tool_result; Pith continued without its result: hook/);
  assert.match(went.notes, /the extension odd\.ts failed during turn_end/);
  const errorPattern = /"type":"extension_error","extensionPath":"odd\.ts","event":"tool_result","error":"hook"/g;
  assert.equal(went.out.match(errorPattern)?.length, 1, "once, though it was asked twice");
  assert.match(requestBodies, /in the tool/);
  const command = await program.runWithScript(["-p", "-c", "/odd"], []);
  assert.match(command.notes + command.out, /in the command/);
  const after = await program.run(["sessions", "show", "last"]);
  assert.deepEqual([after.code, /Done\./.test(after.out)], [0, true], after.notes);
});

test("LOAD16 an invalid permission rule of an extension is reported, and its valid rules apply", () => {
  assert.match(went.notes, /extension rule bash\(/);
  assert.match(requestBodies, /the rule bash\(git push\) denies it/);
});

test("LOAD13 skills and templates from folders that an extension names are available", async () => {
  assert.match(requestBodies, /How to knit\./);
  const { out, notes } = await program.runWithScript(["-p", "-c", "/greet Ada"], ["Hello Ada."]);
  assert.equal(out, "Hello Ada.\n", notes);
  assert.match(JSON.stringify(program.lastRequestBody()), /Say hello to Ada\./);
});

test("LOAD11 an extension can prevent /new and /clone", async () => {
  for (const command of ["/new", "/clone"]) {
    const { out, code } = await program.runWithScript(["-p", "-c", command], []);
    assert.equal(code, 0);
    assert.match(out, /An extension prevented this; nothing was changed\./, command);
  }
});

test("LOAD12 a change of the thinking level sends thinking_level_select", async () => {
  await program.runWithScript(["-p", "-c", "/thinking high"], []);
  const thinkingEvents = readEvents().filter(({ type }) => type === "thinking_level_select");
  assert.deepEqual(
    thinkingEvents.map(({ level }) => level),
    ["high"],
  );
});

test("LOAD14 a user's extension can trust a folder for one run, and that trust is not saved", async () => {
  const project = join(program.folder, ".pith/extensions");
  extend("own.ts", 'pith.registerCommand("mine", { description: "d", run: async () => "trusted" });', project);
  extend(
    "trust.ts",
    'pith.on("project_trust", ({ files }: any) => ({ trusted: files.includes(".pith/extensions/own.ts") }));',
  );
  const { out, notes } = await program.runWithScript(["-p", "/mine"], []);
  assert.equal(out, "trusted\n", notes);
  rmSync(join(program.home, "extensions/trust.ts"));
  assert.equal((await program.runWithScript(["-p", "/mine"], [])).code, 2);
});
