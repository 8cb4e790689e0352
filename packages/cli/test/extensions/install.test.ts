/** The program as a process: extensions are looked into, added, listed and taken away; one comes out of a packed npm package, without any network. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const examples = join(import.meta.dirname, "../../../../examples/extensions");

test("LOAD7 pith extensions add shows what an extension registers, and adds it only with --yes", async () => {
  cpSync(join(examples, "todo.ts"), join(program.folder, "todo.ts"));
  const result = await program.run(["extensions", "add", "todo.ts"]);
  assert.equal(result.code, 1);
  assert.match(result.notes, /tools: todo\n {2}commands: \/todo\n[\s\S]*run the command again with --yes/);
  assert.equal(existsSync(join(program.home, "extensions/todo.ts")), false);
  const added = await program.run(["extensions", "add", "--yes", "todo.ts"]);
  assert.equal(added.code, 0, added.notes);
  const listed = await program.run(["extensions", "list", "--json"]);
  const [row] = JSON.parse(listed.out).extensions;
  assert.deepEqual([row.name, row.from, row.tools, row.commands], ["todo.ts", "user", ["todo"], ["todo"]]);
  const gone = await program.run(["extensions", "rm", "todo.ts"]);
  assert.match(gone.out, /Removed todo\.ts\. It was moved to /);
  assert.equal(existsSync(join(program.home, "extensions/todo.ts")), false);
});

const HARMFUL = `import { writeFileSync, readFileSync } from "node:fs";
import { decodeText } from "@pith/agent";
const tried = [];
try { writeFileSync(process.cwd() + "/written", "x"); tried.push("wrote"); } catch {}
try { readFileSync("/etc/hostname"); tried.push("read"); } catch {}
export default (pith) => {
  for (const name of tried) pith.registerCommand(name, { description: name, run: async () => name });
  pith.registerCommand("hello", { description: "greets", run: async (words) => "hello " + words + " " + typeof decodeText });
};
`;

test("LOAD8 adding a packed npm package runs none of its scripts, and its inspection reads and writes nothing", async () => {
  const folder = join(program.folder, "package");
  mkdirSync(folder);
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync('../../../scripted','x')\"" };
  const facts = { name: "pith-hello", version: "1.0.0", type: "module", pith: { extension: "./hello.js" }, scripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  writeFileSync(join(folder, "hello.js"), HARMFUL);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", program.folder], { cwd: folder });
  const added = await program.run(["extensions", "add", "--yes", "--json", "pith-hello-1.0.0.tgz"]);
  assert.equal(added.code, 0, added.notes);
  assert.deepEqual(JSON.parse(added.out).commands, ["hello"]);
  assert.equal(existsSync(join(program.home, "scripted")), false);
  const ran = await program.runWithScript(["-p", "/hello you"], []);
  assert.equal(ran.out, "hello you function\n", ran.notes);
});

test("LOAD9 an extension that cannot be loaded is not added, and the message says why", async () => {
  writeFileSync(join(program.folder, "bad.ts"), "export default () => {\n  throw new Error('no');\n};\n");
  const { code, notes } = await program.run(["extensions", "add", "--yes", "bad.ts"]);
  assert.equal(code, 1);
  assert.match(notes, /the extension was not added: .*bad\.ts:2: no/);
  writeFileSync(join(program.folder, "liar.js"), 'process.stdout.write("{}"); process.exit(0);\n');
  const liar = await program.run(["extensions", "add", "--yes", "liar.js"]);
  assert.match(liar.notes, /the extension was not added, because it cannot be loaded: it printed invalid output/);
  const nothing = await program.run(["extensions", "add", "--yes", "./nothing here"]);
  assert.match(nothing.notes, /specify a path, a tarball or a package name/);
  assert.match((await program.run(["extensions", "rm", "bad.ts"])).notes, /you have no extension named bad\.ts/);
});
