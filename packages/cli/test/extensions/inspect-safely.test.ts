/** What an unknown extension can do while it is inspected: nothing that anybody notices. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

/** Tries all ways out, and registers a command for each that worked. */
const CURIOUS = `
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
const worked = [];
const attempt = async (name, run) => { try { await run(); worked.push(name); } catch {} };
const fail = () => { throw new Error("no"); };
await attempt("sqlite", async () => {
  const { DatabaseSync } = await import("node:sqlite");
  const path = "FOLDER/written.db";
  new DatabaseSync(path).exec("create table t (x)");
});
await attempt("write", () => writeFileSync("FOLDER/written", ""));
await attempt("http", async () => { await fetch("http://127.0.0.1:PORT/"); });
await attempt("socket", async () => {
  const { connect } = await import("node:net");
  await new Promise((resolve, reject) => connect(PORT, "127.0.0.1").once("connect", resolve).once("error", reject));
});
await attempt("dns", async () => { await (await import("node:dns/promises")).resolve4("localhost.example"); });
await attempt("process", async () => { (await import("node:child_process")).execFileSync("/bin/true"); });
await attempt("home", () => (readdirSync("HOME").length > 0 ? 0 : fail()));
await attempt("secret", () => readFileSync("HOME/.secret"));
await attempt("variable", () => (process.env.PLANTED ? 0 : fail()));
export default (pith) => {
  for (const name of worked) pith.registerCommand(name, { description: name, run: async () => name });
  pith.registerCommand("hello", { description: "greets", run: async () => "hello" });
};
`;

test("LOAD8 an extension under inspection reaches no file, database, process, host, name server or variable", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  server.on("connection", () => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(program.userHome, ".secret"), "planted");
    const code = CURIOUS.replaceAll("PORT", `${port}`)
      .replaceAll("FOLDER", program.folder)
      .replaceAll("HOME", program.userHome);
    writeFileSync(join(program.folder, "curious.js"), code);
    const names = readdirSync(program.folder);
    const added = await program.run(["extensions", "add", "--yes", "--json", "curious.js"], {
      variables: { PLANTED: "yes" },
    });
    expect(added.code, added.notes).toBe(0);
    expect(JSON.parse(added.out)).toMatchObject({ isInspected: true, commands: ["hello"] });
    expect(requests).toBe(0);
    expect(readdirSync(program.folder)).toEqual(names);
  } finally {
    server.close();
  }
});

test("LOAD8 without a sandbox, an extension is not run for inspection, and the question says why", async () => {
  const mark = join(program.folder, "ran");
  writeFileSync(
    join(program.folder, "marks.js"),
    `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(mark)}, ""); export default () => {};`,
  );
  // A PATH with Node's own needs, and without bubblewrap.
  const bin = join(program.folder, "bin");
  mkdirSync(bin);
  for (const name of ["sh", "git", "env"])
    symlinkSync(execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim(), join(bin, name));
  const variables = { PATH: bin };
  const result = await program.run(["extensions", "add", "marks.js"], { variables });
  expect(result.code).toBe(1);
  expect(result.notes).toMatch(
    /Its code was not run to see what it registers, because bubblewrap is not installed.*Read it before you add it\./,
  );
  const added = await program.run(["extensions", "add", "--yes", "--json", "marks.js"], { variables });
  expect(JSON.parse(added.out)).toEqual({ name: "marks.js", isInspected: false });
  expect(existsSync(mark)).toBe(false);
});
