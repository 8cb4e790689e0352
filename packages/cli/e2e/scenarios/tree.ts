/** `/tree`: back to an earlier place, with a summary of the branch that is left, and the words of that place to be changed. */

import { expectThat, type Scenario } from "../scenario.ts";
import { inTurn, withSummaries } from "../support/scripts.ts";
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
