/** Words while it works: they wait where one sees them, and are heard before the next request. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectThat, type Scenario } from "../scenario.ts";
import { call } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

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
