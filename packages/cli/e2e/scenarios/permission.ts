/** Something that is not simply permitted: it is asked, with what it is about, and a no reaches the model. */

import { expectThat, type Scenario } from "../scenario.ts";
import { answerPermission } from "../support/answer-permission.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

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
