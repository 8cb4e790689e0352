/** Tests subcommands of the program as a process: sessions are listed, shown, compacted, deleted and restored. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { help } from "../../src/args/help.ts";
import { subcommands } from "../../src/subcommands/subcommands.ts";
import { createStoredSession } from "../support/subcommand-runner.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("SUB12 a session is listed, compacted, deleted, restored and continued", async () => {
  await createStoredSession({ prompt: "First.", answers: 4, cwd: program.folder }, { PITH_HOME: program.home });
  const listed = JSON.parse((await program.run(["sessions", "list", "--json"])).out) as Listed;
  expect(listed).toMatchObject({ total: 1, sessions: [{ firstMessage: "First.", cwd: program.folder }] });
  const id = listed.sessions[0]?.id.slice(0, 8) ?? "";
  const summary = "## Goal\nTo answer.\n## Next Steps\n1. go on";
  const compacted = await program.runWithScript(
    ["compact", id, "--instructions", "Keep the order."],
    [summary, summary, summary],
  );
  expect(compacted).toMatchObject({ code: 0, out: expect.stringMatching(DONE) });
  expect(JSON.stringify(program.lastRequestBody())).toContain("Keep the order.");
  expect(await program.run(["sessions", "rm", id])).toMatchObject({ code: 0, out: expect.stringContaining(id) });
  expect(await program.run(["sessions", "restore", id])).toMatchObject({ code: 0 });
  expect(await program.runWithScript(["-p", "--session", id, "On."], ["Gone on."])).toMatchObject({
    code: 0,
    out: "Gone on.\n",
  });
  const names = readdirSync(program.home, { recursive: true, encoding: "utf8" });
  const open = names.filter(
    (name) => !name.includes("compiled") && (statSync(join(program.home, name)).mode & 0o077) !== 0,
  );
  expect(open).toEqual([]);
});

const DONE = /^Compacted: [\d,]+ → [\d,]+ tokens.*To undo it, run: pith -p --session [0-9a-f]{8} \/undo\n$/;

interface Listed {
  readonly sessions: readonly { readonly id: string }[];
}

test("SUB3 an unknown subcommand is answered with the closest one; an unknown session with the command to list them", async () => {
  const mistyped = await program.run(["sesions", "list"]);
  expect(mistyped).toMatchObject({ code: 2, out: "", notes: expect.stringContaining("did you mean pith sessions?") });
  const missing = await program.run(["-p", "--session", "nobody", "hi"], { variables: { ANTHROPIC_API_KEY: "any" } });
  expect(missing).toMatchObject({ code: 2, notes: expect.stringContaining("pith sessions list --all") });
});

test("SUB4 pith --help names every subcommand", () => {
  for (const word of subcommands.flatMap(({ name }) => name.split(" ")))
    expect(help).toMatch(new RegExp(`\\b${word}\\b`));
});
