/** Ways back to an earlier message: `/tree` with a summary of the branch that is left and with the files as they were, and `/fork`. */

import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn, withSummaries } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

export const tree: Scenario = {
  name: "tree-with-summary",
  says: "one goes back to an earlier message, its words stand in the editor, and the branch that is left is told in short",
  run: async (keep) => {
    const script = withSummaries(inTurn("First answer.", "Second answer.", "Third answer.", "Another way."));
    const workspace = await keep(TestWorkspace.create({ script, columns: 140, rows: 40 }));
    const terminal = await workspace.startProgram();
    for (const [say, answer] of [
      ["Question one", "First answer."],
      ["Question two", "Second answer."],
      ["Question three", "Third answer."],
    ] as const) {
      await terminal.enter(say);
      await terminal.waitFor(answer);
      await terminal.waitUntilGone(" s · Esc stop");
    }
    await terminal.enter("/tree");
    await terminal.waitFor(/← here/);
    await terminal.press("/");
    await terminal.type("two");
    await terminal.waitFor(/ 1 found/);
    await terminal.press("Enter");
    await terminal.waitFor("Summarize the branch you are leaving?");
    await terminal.press("y");
    // What the branch was about stands there, and the words of the message in the editor.
    await terminal.waitUntil((screen) => /─\n\s*Question two\s*\n─/.test(screen), "the words in the editor");
    await terminal.type(" otherwise");
    await terminal.press("Enter");
    await terminal.waitFor("Another way.");
    const body = await workspace.waitForRequest("Question two otherwise");
    expectThat(body.includes("counting the stars"), "the summary of the branch was not sent");
    expectThat(!body.includes("Third answer."), "the branch that was left was sent");
    return "the branch is told in short, its words can be changed";
  },
};

export const restore: Scenario = {
  name: "file-restore",
  says: "who goes back behind a change of files is offered the files as they were, with what that would change",
  run: async (keep) => {
    const script = withSummaries(
      inTurn(
        "Yes, I am here.",
        call("read", { path: "plan.txt" }),
        call("edit", { path: "plan.txt", edits: [{ oldText: "plan A", newText: "plan B" }] }),
        "It is plan B now.",
      ),
    );
    const workspace = await keep(
      TestWorkspace.create({ script, files: { "plan.txt": "plan A\n" }, columns: 140, rows: 40 }),
    );
    const terminal = await workspace.startProgram();
    await terminal.enter("Are you there?");
    await terminal.waitFor("Yes, I am here.");
    await terminal.enter("Make it B");
    await terminal.waitFor("It is plan B now.");
    await terminal.waitUntilGone(" s · Esc stop");
    expectThat(workspace.read("plan.txt") === "plan B\n", "the file was not changed");
    await terminal.enter("/tree");
    await terminal.waitFor(/← here/);
    await terminal.press("/");
    await terminal.type("Make it");
    await terminal.waitFor(/ 1 found/);
    await terminal.press("Enter");
    await terminal.waitFor("Summarize the branch you are leaving?");
    await terminal.press("n");
    // The page itself: the name of the file stands in the tree, too.
    await terminal.waitFor("Restore files to their state at this entry?");
    const offered = await terminal.waitFor("+plan A");
    await terminal.press("y");
    await terminal.waitUntil((screen) => /─\n\s*Make it B\s*\n─/.test(screen), "the words in the editor");
    expectThat(workspace.read("plan.txt") === "plan A\n", `the file was not put back:\n${offered}`);
    return "plan.txt is as it was";
  },
};

export const fork: Scenario = {
  name: "fork",
  says: "a new session begins before an earlier message, with its words in the editor; the old one keeps all it had",
  run: async (keep) => {
    const script = inTurn("First answer.", "Second answer.", "In the fork.");
    const workspace = await keep(TestWorkspace.create({ script, columns: 140, rows: 40 }));
    const terminal = await workspace.startProgram();
    await terminal.enter("Question one");
    await terminal.waitFor("First answer.");
    await terminal.enter("Question two");
    await terminal.waitFor("Second answer.");
    await terminal.waitUntilGone(" s · Esc stop");
    const before = workspace.sessions();
    await terminal.enter("/fork");
    await terminal.waitUntil((screen) => !screen.includes("/fork") && screen.includes("Question two"), "the list");
    await terminal.press("End");
    await terminal.press("Enter");
    // What is sent off on the way from one session to the other comes back into the editor.
    await terminal.waitFor(/── Question one/);
    await terminal.waitUntil((screen) => /─\n\s*Question two\s*\n─/.test(screen), "the words in the editor");
    await terminal.type(", once more");
    await terminal.press("Enter");
    await terminal.waitFor("In the fork.");
    const after = workspace.sessions();
    expectThat(after.length === 2, `there are ${after.length} sessions`);
    expectThat(
      before.every((text) => after.some((now) => now.startsWith(text))),
      "the old session was changed",
    );
    const body = await workspace.waitForRequest("Question two, once more");
    expectThat(body.includes("First answer.") && !body.includes("Second answer."), "it is no fork");
    return "two sessions, the old one untouched";
  },
};
