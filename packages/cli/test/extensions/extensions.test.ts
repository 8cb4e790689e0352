/** Tests the program as a process with extensions of the user and of a project: they are found, loaded and called, and none harms a session. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { type ProgramResult, TestProgram } from "../support/test-program.ts";

const program = new TestProgram();
/** One call with all of them for many rules: every start takes a while. */
let result: ProgramResult;
let helped: ProgramResult;

beforeAll(async () => {
  place(extensions, join(program.home, "extensions"));
  result = await program.runWithScript(["-p", "--tools", "read,nobodys", "hi"], ["Hello."]);
  // It costs a second.
  rmSync(join(program.home, "extensions/clock.ts"));
  helped = await program.runWithScript(["-p", "/help"], []);
});

afterAll(() => program.remove());

function place(files: Readonly<Record<string, string>>, root: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const command = (name: string): string =>
  `export default (pith: any) => { pith.registerCommand("${name}", { description: "d", run: async () => "ran ${name}" }); };\n`;
const starting = (act: string): string => `export default (pith: any) => pith.on("session_start", () => { ${act} });\n`;

const extensions: Readonly<Record<string, string>> = {
  "one.ts": command("one"),
  "two/index.ts": command("two"),
  "three/package.json": JSON.stringify({ pith: { extension: "./src/main.js" } }),
  "three/src/main.js": command("three").replace(": any", ""),
  "notes.md": "no extension",
  "types.d.ts": "export {};",
  "four/readme.md": "none either",
  "own/index.ts":
    'import { said } from "./said.ts";\nconsole.log("loud");\nexport default (pith: any) => said(pith);\n',
  "own/said.ts":
    'import { Agent } from "@pith/agent";\nimport { serializeConversation } from "@pith/context";\nimport { openModel } from "@pith/models";\nexport const said = (pith: any) => pith.registerCommand("kinds", { description: [Agent, serializeConversation, openModel].map((each) => typeof each).join(), run: async () => "" });\n',
  "lost.ts": 'import { x } from "@pith/nothing";\nexport default () => x;\n',
  "broken.ts": "export default (pith: any) => {\n  const = 3;\n};\n",
  "throws.ts": 'export default () => {\n\n  throw new Error("not today");\n};\n',
  "shapeless.ts": "export const pith = 3;\n",
  "clock.ts": "export default () => void setInterval(() => {}, 1_000);\n",
  "late.ts": starting('setTimeout(() => { throw new Error("in a clock"); }, 0);'),
  "alone.ts": starting('void Promise.reject(new Error("in a promise"));'),
  "words.ts": starting('void Promise.reject("just words");'),
};

test("LOAD1 a file, a folder and a package's entry point are loaded as extensions; a folder without one is reported", () => {
  for (const name of ["one", "two", "three"]) assert.match(helped.out, new RegExp(`/${name} +d \\(`), helped.notes);
  assert.match(result.notes, /four is not an extension: it needs an index\.ts/);
});

test("LOAD2 an extension and its own files import the running Pith, and an unknown Pith package is reported", () => {
  assert.match(helped.out, /\/kinds +function,function,function/);
  assert.match(result.notes, /lost\.ts.*extensions cannot import @pith\/nothing; available: @pith\/context,/);
});

test("LOAD3 an extension that cannot be loaded is reported with its line, and the session continues without it", () => {
  assert.deepEqual([result.code, result.out], [0, "Hello.\n"]);
  assert.match(result.notes, /extensions\/broken\.ts(:2)?: /);
  assert.match(result.notes, /extensions\/throws\.ts:3: not today/);
  assert.match(result.notes, /shapeless\.ts: it has no default export that is a function; add: export default/);
});

test("LOAD18 background work of an extension does not keep the program running, and its output is complete", () => {
  assert.deepEqual([result.code, result.out], [0, "Hello.\n"]);
});

test("LOAD19 an error in an extension's background work is reported, and the session continues", () => {
  assert.match(result.notes, /the extension late\.ts failed during background work.*late\.ts:1: in a clock/);
  assert.match(result.notes, /the extension alone\.ts failed during background work.*alone\.ts:1: in a promise/);
  assert.match(result.notes, /words\.ts.* failed during background work.*just words/);
  assert.equal(result.code, 0);
});

test("LOAD20 a tool in the settings that no extension provides is reported", () => {
  assert.match(result.notes, /unknown tool nobodys: no loaded extension provides it; pith extensions list/);
});

test("LOAD5 --no-extensions loads no extension", async () => {
  const { out, notes } = await program.runWithScript(["-p", "--no-extensions", "hi"], ["Hello."]);
  assert.equal(out, "Hello.\n");
  assert.doesNotMatch(notes, /extension/);
});

test("LOAD4 extensions of a project are loaded only after it is trusted, and only while their files are unchanged", async () => {
  rmSync(join(program.home, "extensions"), { recursive: true });
  const word = 'import { word } from "./words/word.ts";\n';
  const own = `${word}export default (pith: any) => pith.registerCommand("word", { description: "d", run: async () => word });\n`;
  place(
    {
      ".pith/extensions/word/index.ts": own,
      ".pith/extensions/word/words/word.ts": 'export const word = "yes";\n',
      ".pith/extensions/out.ts": 'import "../../beside.ts";\nexport default () => {};\n',
      "beside.ts": "export const x = 1;\n",
    },
    program.folder,
  );
  const before = await program.runWithScript(["-p", "/word"], []);
  assert.equal(before.code, 2);
  assert.match(before.notes, /this folder is not trusted, so its extensions are not used/);
  const trusted = await program.runWithScript(["-p", "--trust", "/word"], []);
  assert.equal(trusted.out, "yes\n", trusted.notes);
  assert.match(trusted.notes, /beside\.ts is not trusted, so it was not loaded/);
});
