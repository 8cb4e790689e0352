/** Keys at a permission question in a real terminal: nothing that was typed for the editor grants anything that lasts. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { TestWorkspace } from "../../../e2e/support/test-workspace.ts";
import type { Tmux } from "../../../e2e/support/tmux.ts";
import { findBuiltProgram } from "../../support/built-program.ts";

const program = findBuiltProgram();
const settings = { permissionMode: "ask", sandbox: "off" };

function call(command: string): Step {
  return { parts: [{ type: "call", name: "bash", arguments: { command } }] };
}

async function createWorkspace(script: readonly Step[]): Promise<TestWorkspace> {
  const workspace = await TestWorkspace.create({ script, program, settings, rows: 36 });
  onTestFinished(() => workspace.remove());
  return workspace;
}

/** What the file of remembered rules and the audit log say of lasting grants. */
function grants(workspace: TestWorkspace): string {
  const file = join(workspace.home, "permissions.json");
  const month = `${new Date().toISOString().slice(0, 7)}.jsonl`;
  const audit = join(workspace.home, "audit", month);
  const lines = existsSync(audit) ? readFileSync(audit, "utf8").split("\n") : [];
  return [existsSync(file) ? readFileSync(file, "utf8") : "", ...lines.filter((line) => line.includes('"grant"'))].join(
    "",
  );
}

/** A letter makes keys typing whenever it comes, and after Esc they answer: so nothing depends on how fast the machine is. */
async function waitForQuestion(tmux: Tmux, command: string): Promise<void> {
  await tmux.waitFor(`$ ${command}`);
  await tmux.type("x");
  await tmux.waitFor("back to the question");
  await tmux.press("Escape");
  await tmux.waitFor("Enter confirm");
}

test("ASK1 ASK2 ASK3 typed, pasted and burst keys grant no lasting permission; Enter on its row does", async () => {
  const workspace = await createWorkspace([
    call("touch one"),
    "first done",
    call("touch two"),
    call("touch two"),
    "second done",
  ]);
  const tmux = await workspace.startProgram();
  await tmux.enter("go");
  // A burst while the question is on its way: letters, digits and Enter.
  await tmux.type("p2sy3");
  await tmux.waitFor("$ touch one");
  await tmux.waitFor("back to the question");
  expect(existsSync(join(workspace.folder, "one"))).toBe(false);
  await tmux.press("Escape");
  await tmux.waitFor("Enter confirm");
  for (const text of ["/compact", "so please stop", "always", "9 p 2 s"]) {
    await tmux.type(text);
    await tmux.waitFor(text.slice(-6));
    await tmux.waitFor("back to the question");
    // The first may only close a completion.
    for (let left = 3; left > 0 && !(await tmux.screen()).includes("Enter confirm"); left -= 1) {
      await tmux.press("Escape");
      await sleep(300);
    }
    await tmux.waitFor("Enter confirm");
    expect(grants(workspace)).toBe("");
  }
  await tmux.paste("y\n3\n");
  await tmux.waitFor("back to the question");
  await tmux.press("Escape");
  await tmux.waitFor("Enter confirm");
  // Digits lead to a row, and nothing is answered.
  await tmux.press("2");
  await tmux.waitFor("❯ 2. Yes, don't ask again this session for this exact command");
  await tmux.press("3");
  await tmux.waitFor("❯ 3. Yes, don't ask again in this project");
  expect(grants(workspace)).toBe("");
  expect(existsSync(join(workspace.folder, "one"))).toBe(false);
  await tmux.press("y");
  await tmux.waitFor("first done");
  expect(existsSync(join(workspace.folder, "one"))).toBe(true);
  expect(grants(workspace)).toBe("");
  // What was typed is still in the editor; it is deleted and the next is asked.
  await tmux.press("C-c");
  await tmux.waitUntilGone("always");
  await tmux.enter("again");
  await waitForQuestion(tmux, "touch two");
  await tmux.press("3", "Enter");
  await tmux.waitFor("second done");
  expect(grants(workspace)).toMatch(
    /"bash\(touch two\)"[\s\S]*"event":"grant","rule":"bash\(touch two\)","for":"project"/,
  );
});

test("ASK5 Shift+Tab changes the mode during a question, and plan mode refuses the call", async () => {
  const workspace = await createWorkspace([call("touch one"), "not done"]);
  const tmux = await workspace.startProgram();
  await tmux.enter("go");
  await waitForQuestion(tmux, "touch one");
  await tmux.press("BTab");
  await tmux.waitFor("edit mode");
  await tmux.waitFor("Enter confirm");
  await tmux.press("BTab");
  await tmux.waitFor("not done");
  expect(await tmux.screen()).toContain("plan mode");
  expect(existsSync(join(workspace.folder, "one"))).toBe(false);
  expect(grants(workspace)).toBe("");
});
