/** Sessions that are taken up again: after the program has ended, and after it was killed. */

import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";
import { answerPermission } from "../support/tmux.ts";

export const resume: Scenario = {
  name: "resume-by-search",
  says: "a session is found by a word of an answer in it, and goes on where it was",
  run: async (keep) => {
    const script = inTurn("The hedgehog sleeps.", "The lighthouse is far.", "A third one.", "We are back.");
    const workspace = await keep(TestWorkspace.create({ script, columns: 140, rows: 40 }));
    const terminal = await workspace.startProgram();
    for (const [say, answer] of [
      ["Tell me of animals", "The hedgehog sleeps."],
      ["Tell me of houses", "The lighthouse is far."],
      ["Tell me of nothing", "A third one."],
    ] as const) {
      await terminal.enter(say);
      await terminal.waitFor(answer);
      await terminal.enter("/new");
      await terminal.waitFor(new RegExp(`${answer}\\s+── new session`));
    }
    await terminal.enter("/resume");
    await terminal.waitFor("Sessions");
    await terminal.type("lighthouse");
    await terminal.waitUntil(
      (screen) => screen.includes("Tell me of houses") && !screen.includes("animals"),
      "one found",
    );
    await terminal.press("Enter");
    await terminal.waitFor(/── Tell me of houses[\s\S]*The lighthouse is far\./);
    await terminal.enter("Are we back?");
    await terminal.waitFor("We are back.");
    const body = await workspace.waitForRequest("Are we back?");
    expectThat(body.includes("Tell me of houses") && !body.includes("animals"), "another session went on");
    await terminal.press("C-c");
    await terminal.press("C-c");
    await terminal.waitFor("continue with: pith -c");
    await terminal.enter("pith --resume");
    await terminal.waitFor("Sessions");
    await terminal.type("hedgehog");
    await terminal.waitUntil(
      (screen) => screen.includes("Tell me of animals") && !screen.includes("houses"),
      "found anew",
    );
    await terminal.press("Enter");
    await terminal.waitFor(/── Tell me of animals[\s\S]*The hedgehog sleeps\./);
    return "found by a word of its answer, in the talk and before one";
  },
};

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
