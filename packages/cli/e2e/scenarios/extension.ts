/** An extension of the user in a real terminal: its command asks all kinds of questions and shows the answers, and the list of the example is stored. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";
import type { Tmux } from "../support/tmux.ts";

export const extension: Scenario = {
  name: "extension",
  says: "a command of an extension asks with select, confirm and input, and shows a status and a widget; the to-do example keeps its list",
  run: async (keep) => {
    const todo = readFileSync(join(import.meta.dirname, "../../../../examples/extensions/todo.ts"), "utf8");
    const items = [
      { text: "count the stars", isDone: true },
      { text: "tell them apart", isDone: false },
    ];
    const script = inTurn(call("todo", { items }), "Half of it is done.");
    const homeFiles = { "extensions/wizard.ts": WIZARD, "extensions/todo.ts": todo };
    const workspace = await keep(TestWorkspace.create({ script, homeFiles }));
    const terminal = await workspace.startProgram();
    await terminal.enter("/wizard");
    await answered(terminal, "Which colour?", "Down", "Enter");
    await answered(terminal, "Paint it green?", "y", "Enter");
    await answered(terminal, "Who paints it?", "A", "d", "a", "Enter");
    const screenText = await terminal.waitFor("Ada paints it green: true");
    expectThat(screenText.includes("paint: wet"), `no status is seen:\n${screenText}`);
    expectThat(/\[ \] the wall[\s\S]*───/.test(screenText), `no widget stands above the editor:\n${screenText}`);
    await terminal.enter("What is to be done?");
    await terminal.waitFor("Half of it is done.");
    await terminal.enter("/todo");
    const todoText = await terminal.waitFor(
      /\[x\] count the stars\s+\[ \] tell them apart[\s\S]*\[x\] count the stars/,
    );
    expectThat(todoText.includes("paint: wet"), "the status went away with a run");
    return "asked three times, status and widget seen, list kept";
  },
};

/** Keys count once nobody is typing any more. */
async function answered(terminal: Tmux, question: string, ...keys: readonly string[]): Promise<void> {
  await terminal.waitFor(question);
  await sleep(600);
  for (const key of keys) await terminal.press(key);
  await terminal.waitUntilGone(question);
}

const WIZARD = `
import type { ExtensionApi } from "@pith/agent";

export default (pith: ExtensionApi): void => {
  pith.registerCommand("wizard", {
    description: "paints something",
    run: async (_words: string, { ui }) => {
      const colour = await ui.select("Which colour?", ["red", "green"]);
      const isSure = await ui.confirm(\`Paint it \${colour}?\`, "It dries slowly.");
      const name = await ui.input("Who paints it?", "a name");
      ui.setStatus("paint", "paint: wet");
      ui.setWidget("walls", ["[ ] the wall", "[ ] the door"]);
      return \`\${name} paints it \${colour}: \${isSure}\`;
    },
  });
};
`;
