/** Every RPC command driven and every event seen by a client in another language, and lines from somebody who means no good. */

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ScriptRequest, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSampleSecrets } from "../../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../../context/test/support/seeded-random.ts";
import { rpcTable } from "../../../src/modes/rpc/commands/commands.ts";
import { eventNames } from "../../../src/protocol/event-docs.ts";
import { findBuiltProgram } from "../../support/built-program.ts";
import { writeOldSession } from "../../support/sample-sessions.ts";
import { isSummaryInstruction, TestProgram } from "../../support/test-program.ts";
import { recordTriggered } from "../../support/triggered.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const run = promisify(execFile);
const bin = findBuiltProgram();

/** What the Python client says it saw. */
async function python(mode: "drive" | "fuzz", config: object): Promise<Readonly<Record<string, unknown>>> {
  const file = join(program.home, "config.json");
  const lines = join(program.home, "lines.txt");
  const command = [process.execPath, bin, "--mode", "rpc"];
  writeFileSync(file, JSON.stringify({ command, lines, ...config }));
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const { stdout, stderr } = await run("python3", [join(import.meta.dirname, "client.py"), mode, file], {
    cwd: program.folder,
    env,
  });
  expect(stderr).not.toContain("pith: internal error");
  const report = JSON.parse(stdout);
  const args = ["--mode", "rpc"];
  recordTriggered({ args, code: report.code, out: readFileSync(lines, "utf8"), settingsFiles: [] });
  return report;
}

const STORY = "## Goal\nKeep it.\n\n## Progress\n### Done\n- Done.\n\n## Next Steps\n1. Go on.";
const busy = (after: string): Step => ({
  refuse: { status: 529, message: "Overloaded", headers: { "retry-after": after } },
});
const tooLong: Step = { refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" } };

/** By what it is asked. */
function script(): (request: ScriptRequest) => Step {
  let [refusals, summaries] = [0, 0];
  return ({ text, tools, resultCount, body }) => {
    const all = JSON.stringify(body);
    const isSummary = tools.length === 0 || isSummaryInstruction(all);
    if (text.includes("TOO LONG") || (isSummary && all.includes("TOO LONG"))) return tooLong;
    if (isSummary && all.includes("SLOWLY")) return { parts: [{ type: "text", text: STORY }], pace: { waitMs: 5_000 } };
    if (isSummary) return ++summaries === 1 ? busy("0") : STORY;
    if (text.includes("LATER")) return busy("30");
    if (text.includes("BUSY") && ++refusals === 1) return busy("0");
    if (text.includes("SLOW one"))
      return { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } };
    if (text.includes("CALL") && resultCount === 0)
      return {
        parts: [
          { type: "text", text: "So." },
          { type: "call", name: "bash", arguments: { command: "echo hi; sleep 0.3; echo ho" } },
        ],
      };
    return "Done.";
  };
}

const EXTENSION = `
export default (pith) => {
  pith.on("turn_start", () => { throw new Error("no"); });
  pith.registerCommand("ask", {
    description: "asks",
    run: async (words, { ui }) => {
      ui.notify("hear " + words, "warning");
      ui.setStatus("state", "on");
      ui.setWidget("list", ["one"]);
      console.log("for people");
      const which = await ui.select("Which?", ["left", "right"]);
      return "asked: " + [which, await ui.confirm("Sure?", "Really?"), await ui.input("Name?")].join(" ");
    },
  });
};
`;

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("RPC1 RPC17 TOK6 a Python client without a library uses every command and receives every event", async () => {
  await program.serve(script());
  const settings = { contextWindow: 8192, compaction: { softPercent: 60, keepRecentTokens: 600 } };
  writeFileSync(join(program.home, "settings.json"), JSON.stringify(settings));
  mkdirSync(join(program.home, "extensions"));
  writeFileSync(join(program.home, "extensions", "asks.ts"), EXTENSION);
  const [secret] = createSampleSecrets(1, createSeededRandom(7));
  const events = [...eventNames, "bash_execution_update", "extension_ui_request"];
  const report = await python("drive", {
    ...{ names: Object.keys(rpcTable), events },
    ...{ secret: secret?.text, image: IMAGE, old: writeOldSession(program) },
  });
  expect(readFileSync(join(program.home, "lines.txt"), "utf8")).not.toContain(String(secret?.text));
  expect(report).toEqual({ code: 0, undriven: [], unseen: [], strange: [] });
});

test("RPC2 every hostile line gets an answer, and the program keeps running", async () => {
  await program.serve(() => ({ parts: [{ type: "text", text: "word ".repeat(200) }], pace: { everyMs: 20 } }));
  const count = Number(process.env.PITH_FUZZ_LINES ?? 400);
  const table = Object.fromEntries(Object.entries(rpcTable).map(([name, { fields }]) => [name, Object.keys(fields)]));
  const report = await python("fuzz", { seed: Number(process.env.PITH_FUZZ_SEED ?? 7), count, table });
  expect(report).toMatchObject({ code: 0, exact: true, harm: [], streaming: false, last: true });
  expect(Number(report.sent)).toBeGreaterThan(count * 0.9);
  // The model was asked for what was meant, and for nothing else.
  expect(program.server.requests.length).toBeGreaterThan(0);
  for (const { body } of program.server.requests) expect(JSON.stringify(body)).toContain("WORK");
});
