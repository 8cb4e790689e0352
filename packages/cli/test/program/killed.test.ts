/** The program killed with -9 in the middle of a turn, and the one that goes on. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const command = "echo once >> ran.txt; sleep 30";

test.each(["on", "off"])(
  "PRT11 after kill -9 during a command (sandbox %s), -c continues the turn without running the command again",
  async (sandbox) => {
    const flags = ["--sandbox", sandbox, "--permission-mode", "all"];
    const bash = { type: "call", name: "bash", arguments: { command } } as const;
    const { url } = await program.serve([{ parts: [{ type: "text", text: "I run it." }, bash] }, "I have looked."]);
    const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
    await killedOnce(() => existsSync(join(program.folder, "ran.txt")), ["-p", ...flags, "Run it."], variables);
    const { code, out } = await program.run(["-p", "-c", ...flags], { variables });
    expect({ code, out }).toEqual({ code: 0, out: "I have looked.\n" });
    expect(readFileSync(join(program.folder, "ran.txt"), "utf8")).toBe("once\n");
    expect(JSON.stringify(program.lastRequestBody())).toContain(
      "it may or may not have completed. It was not run again",
    );
    expect(JSON.stringify(program.lastRequestBody())).toContain("Run it.");
  },
);

test("PRT11 after kill -9 during a reply, -c repeats the request", async () => {
  const slow = { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } } as const;
  const { url, requests } = await program.serve([slow, "Here."]);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  await killedOnce(() => requests.length > 0, ["-p", "Talk."], variables);
  const { code, out, notes } = await program.run(["-p", "-c"], { variables });
  expect({ code, out, notes: notes.includes("1 request") }).toEqual({ code: 0, out: "Here.\n", notes: true });
});

async function killedOnce(
  isTime: () => boolean,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const bin = findBuiltProgram();
  const env = { PATH: process.env.PATH, PITH_HOME: program.home, ...variables };
  const child = spawn(process.execPath, [bin, ...args], { cwd: program.folder, env, stdio: "ignore" });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  while (!isTime()) await sleep(50);
  await sleep(200);
  child.kill("SIGKILL");
  await gone;
}
