/** Work with tools: a task, a change that needs permission, and a message while a tool runs. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";
import { answerPermission } from "../support/tmux.ts";

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

export const permission: Scenario = {
  name: "permission",
  says: "a change is asked for with its diff; no leaves the file alone, yes changes it",
  run: async (keep) => {
    const change = call("edit", { path: "a.txt", edits: [{ oldText: "old words", newText: "new words" }] });
    const script = inTurn(call("read", { path: "a.txt" }), change, "Then not.", change, "It is changed.");
    const files = { "a.txt": "old words\n" };
    const workspace = await keep(TestWorkspace.create({ script, files }));
    const terminal = await workspace.startProgram("--permission-mode ask");
    await terminal.enter("Change it");
    const screenText = await terminal.waitFor(/No, and tell the model why/);
    expectThat(/old words[\s\S]*new words/.test(screenText), `the question shows no diff:\n${screenText}`);
    await answerPermission("n", terminal);
    await terminal.waitFor("Then not.");
    expectThat(workspace.read("a.txt") === "old words\n", "it was changed after a no");
    await terminal.enter("Change it after all");
    await terminal.waitFor(/No, and tell the model why/);
    await answerPermission("y", terminal);
    await terminal.waitFor("It is changed.");
    expectThat(workspace.read("a.txt") === "new words\n", "it was not changed after a yes");
    return "asked with a diff, no and yes";
  },
};

export const steering: Scenario = {
  name: "steering",
  says: "what is said while a tool runs waits where one sees it, and the model hears it with the tool's result",
  run: async (keep) => {
    const script = ({ number, text }: { readonly number: number; readonly text: string }) =>
      number === 1 ? call("bash", { command: "until [ -e go ]; do sleep 0.1; done" }) : `I heard: ${text}`;
    const workspace = await keep(TestWorkspace.create({ script }));
    const terminal = await workspace.startProgram("--permission-mode all");
    await terminal.enter("Wait for it");
    await terminal.waitFor("sleep 0.1");
    await terminal.enter("Be quick, please");
    await terminal.waitFor(/(?:waits|next|steer)[^\n]*Be quick, please/i);
    expectThat(workspace.server.requests.length === 1, "the model was asked too early");
    writeFileSync(join(workspace.folder, "go"), "");
    await terminal.waitFor("I heard: Be quick, please");
    expectThat(workspace.server.requests.length === 2, "the model was asked too often");
    return "heard before the next request";
  },
};
