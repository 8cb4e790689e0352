/** Killed with -9 while it works: whoever starts it again finds all that was said and done. */

import { expectThat, type Scenario } from "../scenario.ts";
import { answerPermission } from "../support/answer-permission.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

export const killed: Scenario = {
  name: "kill-and-resume",
  says: "after kill -9 in mid-turn nothing that was seen is lost, and one answer lets the work go on",
  run: async (keep) => {
    const script = inTurn(
      "The first answer.",
      call("bash", { command: "echo once >> ran.txt; sleep 120" }),
      "I have looked what became of it.",
    );
    const workspace = await keep(TestWorkspace.create({ script }));
    const terminal = await workspace.startProgram("--permission-mode all");
    await terminal.enter("First question");
    await terminal.waitFor("The first answer.");
    await terminal.enter("Run it");
    await terminal.waitFor("sleep 120");
    await terminal.waitUntil(() => hasRun(workspace), "the command to run");
    process.kill(workspace.pid, "SIGKILL");
    await terminal.waitFor(/Killed|\$ $/m);
    const again = await workspace.startProgram("-c --permission-mode all");
    const back = await again.waitFor("was interrupted");
    for (const each of ["The first answer.", "Run it"]) expectThat(back.includes(each), `${each} is lost:\n${back}`);
    await again.waitFor("Continue (y then Enter)");
    await again.press("y", "Enter");
    await again.waitFor("It was started before");
    await answerPermission("n", again);
    await again.waitFor("I have looked what became of it.");
    expectThat(workspace.read("ran.txt") === "once\n", "the command was run twice");
    return "nothing lost, nothing run twice";
  },
};

function hasRun(workspace: TestWorkspace): boolean {
  try {
    return workspace.read("ran.txt") !== "";
  } catch {
    return false; // Not yet.
  }
}
