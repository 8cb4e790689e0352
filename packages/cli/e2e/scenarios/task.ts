/** A task with tools: a file is read, changed and tried out, and all of it is seen. */

import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

export const task: Scenario = {
  name: "task",
  says: "a file is read, changed and tried out; the change is shown as a diff, and the file has it",
  run: async (keep) => {
    const script = inTurn(
      call("read", { path: "sum.js" }),
      call("edit", { path: "sum.js", edits: [{ oldText: "a - b", newText: "a + b" }] }),
      call("bash", { command: "node -e \"console.log('the sum is', require('./sum.js')(20, 22))\"" }),
      "The sum is right now.",
    );
    const files = { "sum.js": "module.exports = (a, b) => a - b;\n" };
    const workspace = await keep(TestWorkspace.create({ script, files, columns: 140, rows: 40 }));
    const terminal = await workspace.startProgram();
    await terminal.enter("The sum is wrong. Please mend it.");
    await terminal.waitFor("The sum is right now.");
    const screenText = await terminal.scrollback();
    for (const each of ["sum.js", "a - b", "a + b", "the sum is 42"])
      expectThat(screenText.includes(each), `${each} is not seen:\n${screenText}`);
    expectThat(workspace.read("sum.js") === "module.exports = (a, b) => a + b;\n", "the file was not changed");
    return "read, edit with its diff, bash";
  },
};
