/** Keys before and at the questions that let files of a repository run, in a real terminal: only Enter on its row runs anything. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../../context/test/support/test-length.ts";
import { TestWorkspace } from "../../../e2e/support/test-workspace.ts";
import type { Tmux } from "../../../e2e/support/tmux.ts";
import { findBuiltProgram } from "../../support/built-program.ts";

/** Leaves a file when its code runs. */
const LEAVE_MARK = `import { writeFileSync } from "node:fs";
try { writeFileSync(process.env.HOME + "/ran", ""); } catch {}
export default () => {};
`;
const QUESTION = "Do you trust this folder?";

async function createWorkspace(): Promise<TestWorkspace> {
  const workspace = await TestWorkspace.create({
    script: () => "Done.",
    program: findBuiltProgram(),
    settings: { sandbox: "off" },
    files: { ".pith/extensions/mark.js": LEAVE_MARK, "mark.js": LEAVE_MARK },
    rows: 36,
  });
  onTestFinished(() => workspace.remove());
  return workspace;
}

function hasRun(workspace: TestWorkspace): boolean {
  return existsSync(join(workspace.root, "user/ran"));
}

/** Types a command and these keys after it, without waiting for anything. */
async function startWithKeys(workspace: TestWorkspace, command: string, keys: readonly string[]): Promise<Tmux> {
  const tmux = await workspace.openTerminal();
  await tmux.type(command);
  await tmux.press("Enter", ...keys);
  return tmux;
}

/** As tmux names them. */
const sequences: readonly (readonly string[])[] = [
  ["o"],
  ["o", "Enter"],
  ["Right", "Enter"],
  ["y", "Enter", "Enter"],
  ["Escape", "o", "Enter"],
  ..."only the tests, please".split(" ").map((word) => [...word, "Enter"]),
  ["Tab", "Tab", "Enter"],
  ["2", "Enter", "3", "Enter"],
  ["a", "BSpace", "o", "Enter"],
  ["Up", "Down", "Right", "Right", "Enter"],
  ["C-m", "C-m"],
];

describe("the trust question on the screen", () => {
  test.each(isLong ? sequences : sequences.slice(0, 5))(
    "ASK3 ASK6 %j typed before it runs nothing",
    async (...keys) => {
      const workspace = await createWorkspace();
      const tmux = await startWithKeys(workspace, "pith", keys);
      await tmux.waitFor(QUESTION);
      // What was typed is in the editor or was sent; the question is still open.
      await tmux.settled();
      expect(await tmux.screen()).toContain(QUESTION);
      expect(hasRun(workspace)).toBe(false);
      if ((await tmux.screen()).includes("back to the question")) await tmux.press("Escape");
      await tmux.waitFor("Enter select");
      await tmux.press("Right");
      await tmux.waitFor("❯ Only this time");
      expect(hasRun(workspace)).toBe(false);
      await tmux.press("Enter");
      await tmux.waitUntilGone(QUESTION);
      await tmux.waitFor(/claude/);
      expect(hasRun(workspace)).toBe(true);
    },
  );

  test("ASK1 ASK3 a message typed at the question goes to the editor and can be sent after the answer", async () => {
    const workspace = await createWorkspace();
    const tmux = await startWithKeys(workspace, "pith", []);
    await tmux.waitFor("Enter select");
    for (const letter of "only the tests") await tmux.type(letter);
    await tmux.waitFor("back to the question");
    await tmux.waitFor("only the tests");
    await tmux.press("Enter");
    await tmux.press("Escape");
    await tmux.waitFor("Enter select");
    expect(hasRun(workspace)).toBe(false);
    await tmux.press("Enter");
    await tmux.waitFor("Done.");
    expect(hasRun(workspace)).toBe(false);
    expect(await workspace.waitForRequest("only the tests")).not.toBe("");
  });
});

describe("the trust question in plain mode", () => {
  test.each([[["2", "Enter"]], [["2", "Enter", "2", "Enter"]], [["y", "Enter", "2", "Enter"]]])(
    "ASK4 ASK6 %j typed before it runs nothing",
    async (keys) => {
      const workspace = await createWorkspace();
      const tmux = await startWithKeys(workspace, "pith --plain", keys);
      await tmux.waitFor("Enter a number from 0 to 3:");
      expect(hasRun(workspace)).toBe(false);
      await tmux.enter("2");
      await tmux.waitFor("Ready.");
      expect(hasRun(workspace)).toBe(true);
    },
  );
});

describe("questions of subcommands", () => {
  test.each([
    ["pith trust", ["y", "Enter"], "nothing was trusted"],
    ["pith trust", ["y"], "nothing was trusted"],
    ["pith extensions add mark.js", ["y", "Enter", "y", "Enter"], "nothing was added"],
  ])("ASK6 %s with %j typed before its question does nothing", async (command, keys, refusal) => {
    const workspace = await createWorkspace();
    const tmux = await startWithKeys(workspace, command, keys);
    await tmux.waitFor("[y/N]");
    await tmux.press("Enter");
    await tmux.waitFor(refusal);
    expect(hasRun(workspace)).toBe(false);
    expect(existsSync(join(workspace.home, "trust.json"))).toBe(false);
    expect(existsSync(join(workspace.home, "extensions/mark.js"))).toBe(false);
  });
});
