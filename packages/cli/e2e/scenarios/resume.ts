/** `/resume`: an old session is found by a word that was said in it. */

import { expectThat, type Scenario } from "../scenario.ts";
import { inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

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
