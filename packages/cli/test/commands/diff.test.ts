/** `/diff`: what a session changed in files. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createPatch } from "../../src/commands/diff.ts";
import { createCommandContext, runForText } from "../support/command-context.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const write = (path: string, content: string) =>
  ({ parts: [{ type: "call", name: "write", arguments: { path, content } }] }) as const;
const read = (path: string) => ({ parts: [{ type: "call", name: "read", arguments: { path } }] }) as const;
const edit = (path: string, oldText: string, newText: string) =>
  ({ parts: [{ type: "call", name: "edit", arguments: { path, edits: [{ oldText, newText }] } }] }) as const;

test("LOOK3 /diff compares each file with its state before the session's first change: edited, new, restored and changed by others", async () => {
  const at = (name: string): string => join(program.folder, name);
  mkdirSync(at("src"));
  writeFileSync(at("src/a.ts"), "one\ntwo\nthree\n");
  writeFileSync(at("back.txt"), "before\n");
  const script = [
    ...[read("src/a.ts"), edit("src/a.ts", "two", "TWO"), edit("src/a.ts", "three", "THREE")],
    ...[write("new.txt", "fresh\n"), read("back.txt"), write("back.txt", "after\n"), write("gone.txt", "x\n"), "Done."],
  ];
  await program.runWithScript(["-p", "--permission-mode", "all", "change it"], script);
  writeFileSync(at("back.txt"), "before\n");
  writeFileSync(at("new.txt"), "fresh\nother\n");
  rmSync(at("gone.txt"));
  const { code, out } = await program.run(["-p", "-c", "/diff"]);
  expect(code).toBe(0);
  expect(out).toBe(
    [
      ...["--- a/src/a.ts", "+++ b/src/a.ts", "@@ -1,3 +1,3 @@", " one", "-two", "-three", "+TWO", "+THREE"],
      ...[
        "# new.txt: other programs changed it too",
        "--- /dev/null",
        "+++ b/new.txt",
        "@@ -0,0 +1,2 @@",
        "+fresh",
        "+other",
      ],
      "# back.txt: it has its original content again",
      "# back.txt: other programs changed it too",
      "# gone.txt: it has its original content again",
      "# gone.txt: other programs changed it too",
      "# 4 files, +4 −2",
      "",
    ].join("\n"),
  );
  expect(existsSync(at("gone.txt"))).toBe(false);
});

test("BACK10 /diff does not read a file outside the workspace, and shows the diffs of the tool results instead", async () => {
  const outside = join(program.userHome, "notes.txt");
  writeFileSync(outside, "old\n");
  const script = [read(outside), edit(outside, "old", "other"), "Done."];
  await program.runWithScript(["-p", "--allow", `edit(${outside})`, "change it"], script);
  writeFileSync(outside, "something private\n");
  // The folders of this test lie in the temporary folder, where files are restored.
  const { out } = await program.run(["-p", "-c", "/diff"], { variables: { TMPDIR: join(program.userHome, "tmp") } });
  expect(out).toContain("not compared with the file on disk (it is outside the workspace");
  expect(out).toContain("-old\n+other");
  expect(out).not.toContain("something private");
});

test("LOOK3 without saved originals, /diff shows the diffs of the tool results", async () => {
  const input = "change it\n/diff\n";
  writeFileSync(join(program.folder, "old.txt"), "old\n");
  const script = [write("new.txt", "fresh\n"), read("old.txt"), edit("old.txt", "old", "other"), "Done."];
  const { out } = await program.runWithScript(["--plain", "--no-session"], script, { input });
  expect(out).toContain(
    [
      "# new.txt: a tool wrote it; the original was not saved",
      "# old.txt: the diffs from the tool results, one after another",
      ...["--- a/old.txt", "+++ b/old.txt", "@@ -1,1 +1,1 @@", "-old", "+other", "# 2 files, +1 −1"],
    ].join("\n"),
  );
});

test('LOOK1 pith -p "/copy code" prints the code itself', async () => {
  writeFileSync(join(program.home, "settings.json"), '{ "plain": false }');
  await program.runWithScript(["-p", "how?"], ["So:\n```sh\nnpm start\n```"]);
  expect(await program.run(["-p", "-c", "/copy code"])).toMatchObject({ code: 0, out: "npm start\n" });
});

test("LOOK3 /diff reports that no tool changed a file", async () => {
  const context = await createCommandContext(["user: hello", "says: hi"]);
  expect(await runForText("/diff", context)).toBe(
    "No tool changed a file on this branch. Changes made by shell commands are not tracked.",
  );
});

test.each([
  ["a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c"],
  ["", "a\nb", "@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file"],
  ["a\n", "", "@@ -1,1 +0,0 @@\n-a"],
  ["a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b"],
])("LOOK4 two texts become a unified diff: %j, %j", (before, after, patch) => {
  expect(createPatch(before, after)?.patch).toBe(patch);
});

test("LOOK4 the diff of a long new file is complete, and two long texts without a common line have no diff", () => {
  const lines = (word: string): string => Array.from({ length: 100_000 }, (_, at) => `${word} ${at}\n`).join("");
  expect(createPatch("", lines("a"))?.added).toBe(100_000);
  expect(createPatch(lines("a"), lines("b"))).toBeNull();
});

test("LOOK4 a diff does not depend on the speed of the machine", () => {
  let now = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 10_000));
  onTestFinished(() => clock.mockRestore());
  expect(createPatch("a\nb\n", "a\nc\n")?.patch).toBe("@@ -1,2 +1,2 @@\n a\n-b\n+c");
});
