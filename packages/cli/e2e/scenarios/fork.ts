/** `/fork`: a new session from an earlier message; the old one stays as it was. */

import { expectThat, type Scenario } from "../scenario.ts";
import { inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

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
