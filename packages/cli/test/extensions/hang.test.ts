/** Extensions that hang for real, in the program as a process: they are left behind, and the session is whole. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

const NEVER = "new Promise(() => {})";
const places: Readonly<Record<string, string>> = {
  "its function": `export default () => ${NEVER};`,
  session_start: `export default (pith) => pith.on("session_start", () => ${NEVER});`,
  tool_result: `export default (pith) => pith.on("tool_result", () => ${NEVER});`,
  session_shutdown: `export default (pith) => pith.on("session_shutdown", () => ${NEVER});`,
};

const CALL: readonly Step[] = [{ parts: [{ type: "call", name: "read", arguments: { path: "a.txt" } }] }, "Read."];

test.concurrent.each(Object.entries(places))(
  "LOAD15 an extension that hangs in %s is abandoned in time, and the session is intact",
  async (place, body) => {
    const program = new TestProgram();
    mkdirSync(join(program.home, "extensions"));
    writeFileSync(join(program.home, "extensions/hangs.js"), body);
    writeFileSync(join(program.folder, "a.txt"), "the text\n");
    const began = Date.now();
    const { code, out, notes } = await program.runWithScript(["-p", "read it"], CALL);
    assert.deepEqual([code, out], [0, "Read.\n"], notes);
    // Whoever leaves a session waits less.
    const seconds = place === "session_shutdown" ? 5 : 30;
    assert.ok(Date.now() - began >= seconds * 1_000, "nobody waited");
    const where = place === "its function" ? "hangs\\.js was not loaded" : place;
    assert.match(notes, new RegExp(`${where}.*within ${seconds} s`));
    assert.match(JSON.stringify(program.lastRequestBody()), /the text/);
    await program.remove();
  },
);
