/** A move in the tree past a change of files offers to put them back. */

import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn, withSummaries } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

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
