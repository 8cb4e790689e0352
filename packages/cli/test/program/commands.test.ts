/** Commands through the real program: what each prints, what it leaves behind, and how one goes on. */

import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ProgramResult, TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const summary =
  "## Goal\n- fix the login [#1]\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the login\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

/** Without a model, since it is for code alone. */
const alone = (words: string, ...flags: readonly string[]): Promise<ProgramResult> =>
  program.run(["-p", ...flags, words]);

test("COM36 commands that need no model work without a key, print their result, and save no session", async () => {
  const calls = ["/help", "/settings", "/model", "/autocompact off", "/context", "/reload", "/quit"];
  const ends = await Promise.all(calls.map((words) => alone(words)));
  for (const [at, { code, notes }] of ends.entries())
    expect({ code, notes }, calls[at]).toEqual({ code: 0, notes: "" });
  const texts = [
    "/compact \\[",
    "compaction\\.enabled",
    "No model is configured",
    "is off until",
    "nothing to compact",
  ];
  for (const [at, text] of texts.entries()) expect(ends[at]?.out).toMatch(new RegExp(text));
  expect(ends[6]?.out).toBe("");
  expect(sessions()).toEqual([]);
  expect(await alone("/compcat")).toMatchObject({
    code: 2,
    out: "",
    notes: expect.stringContaining("did you mean /compact?"),
  });
});

test("COM37 a session is viewed, named, pinned in, branched and continued from the command line", async () => {
  await program.runWithScript(["-p", "Fix the login."], ["Looking."]);
  const { out: tree } = await alone("/tree", "-c");
  const [, id = ""] = /^(\w+) you: Fix the login\.$/m.exec(tree) ?? [];
  expect(tree).toMatch(/^[\w-]+ reply: Looking\. ← here$/m);
  expect(await alone("/name the login bug", "-c")).toMatchObject({ code: 0, out: "Name: the login bug\n" });
  expect(await alone("/pin Never push.", "-c")).toMatchObject({ out: "Pinned: Never push.\n" });
  expect(await alone("/unpin 1", "-c")).toMatchObject({ out: "Unpinned: Never push.\n" });
  expect(await alone("/thinking high", "-c")).toMatchObject({
    out: "Thinking set to high, starting with the next request.\n",
  });
  const { out: about } = await alone("/session", "-c");
  expect(about).toMatch(/^name {8}the login bug$/m);
  expect(about).toMatch(/1 user message, 1 reply,/);
  const forked = await alone(`/fork ${id}`, "-c");
  expect(forked).toMatchObject({ code: 0, out: "Fix the login.\n" });
  expect(forked.notes).toMatch(
    /^· New session: \w{8}\n· edit this message and send it with: pith -p --session [\w-]+ "…"\n/,
  );
  const [, fork = ""] = /--session ([\w-]+)/.exec(forked.notes) ?? [];
  expect(await program.runWithScript(["-p", "--session", fork, "Fix the logout."], ["Done."])).toMatchObject({
    out: "Done.\n",
  });
  expect(await alone(`/tree ${id}`, "--session", "the login bug")).toMatchObject({
    out: "Fix the login.\n",
    notes: expect.stringMatching(/edit this message and send it with: pith -p -c "…"/),
  });
  expect(sessions()).toHaveLength(2);
});

test("BACK10 /tree --files does not follow a folder that became a link, and names each file that it did not restore with the reason", async () => {
  const write = (path: string): Step => ({
    parts: [{ type: "call", name: "write", arguments: { path, content: "x" } }],
  });
  const protectedFile = join(program.folder, ".vscode/tasks.json");
  const script = [write("sub/a.txt"), write("b.txt"), write(protectedFile), "Done."];
  await program.runWithScript(["-p", "--allow", "edit(.vscode/**)", "write them"], script);
  renameSync(join(program.folder, "sub"), join(program.userHome, "outside"));
  symlinkSync(join(program.userHome, "outside"), join(program.folder, "sub"));
  // The folders of this test lie in the temporary folder, where files are restored.
  const variables = { TMPDIR: join(program.userHome, "tmp") };
  const { code, out } = await program.run(["-p", "-c", "/tree root --files"], { variables });
  expect(code).toBe(0);
  expect(out).toContain("; 1 file removed; ");
  expect(out).toContain("sub/a.txt was not restored: it is outside the workspace");
  expect(out).toContain("tasks.json was not restored: other programs execute or trust it");
  expect(existsSync(join(program.userHome, "outside/a.txt"))).toBe(true);
  expect(existsSync(protectedFile)).toBe(true);
  expect(existsSync(join(program.folder, "b.txt"))).toBe(false);
});

test("COM38 /clone, /new, /resume and /export work from the command line", async () => {
  await program.runWithScript(["-p", "Fix the login."], ["Looking."]);
  for (const words of ["/clone", "/new"])
    expect(await alone(words, "-c")).toMatchObject({ code: 0, out: expect.stringMatching(/^New session: \w{8}\n$/) });
  expect(sessions()).toHaveLength(3);
  expect((await alone("/resume")).out.match(/Fix the login\./g)).toHaveLength(2);
  expect(await alone("/export talk.md", "-c")).toMatchObject({ code: 0, out: expect.stringContaining("talk.md") });
  expect(readFileSync(join(program.folder, "talk.md"), "utf8")).toContain("Fix the login.");
});

test("COM39 /compact, /undo and /redo work from the command line", async () => {
  writeFileSync(join(program.home, "settings.json"), '{ "compaction": { "keepRecentTokens": 1000 } }');
  await program.runWithScript(["-p", "Fix the login."], ["word ".repeat(40_000)]);
  await program.runWithScript(["-p", "-c", "And now?"], ["Now this."]);
  const compacted = await program.runWithScript(["-p", "-c", "/compact keep the numbers"], [summary, summary, summary]);
  expect(compacted).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Compacted: [\d,]+ → [\d,]+ tokens; summary by/),
  });
  expect(await alone("/undo", "-c")).toMatchObject({
    out: expect.stringMatching(/^Compaction undone\. The context is back to about [\d,]+ tokens\./),
  });
  expect(await alone("/redo", "-c")).toMatchObject({ out: expect.stringMatching(/^Compaction restored: /) });
});

test("COM40 /handoff prints the draft with the command that sends it, and that command works", async () => {
  writeFileSync(join(program.folder, "login.ts"), "");
  const call = { type: "call", name: "read", arguments: { path: "login.ts" } } as const;
  await program.runWithScript(["-p", "Fix the login."], [{ parts: [call] }, "It is fixed in login.ts."]);
  const handed = "## Background\n- the login is fixed in login.ts [#4]\n\n## First steps\n1. look at it";
  const { code, out, notes } = await program.runWithScript(["-p", "-c", "/handoff Test the login."], [handed, handed]);
  expect(code).toBe(0);
  expect(out).toMatch(/^Test the login\.\n[\s\S]*## Files\n- login\.ts\n$/);
  const [, id = ""] = /to send this message, run: pith -p --session ([\w-]+);/.exec(notes) ?? [];
  expect(await program.runWithScript(["-p", "--session", id], ["Testing."])).toMatchObject({
    code: 0,
    out: "Testing.\n",
  });
  expect(JSON.stringify(program.lastRequestBody())).toContain("the login is fixed in login.ts");
  expect(existsSync(join(program.folder, "login.ts"))).toBe(true);
});

function sessions(): readonly string[] {
  const names = readdirSync(program.home, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".jsonl") && !name.includes(".pith") && !name.startsWith("audit"));
}
