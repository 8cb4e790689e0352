/** An extension that listens to every event there is and leaves the names of those it heard, with commands for what seldom happens. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { extensionEventTable } from "@pith/agent";

export const everyEvent: readonly string[] = Object.keys(extensionEventTable);

/** In the user's folder of extensions. */
export function listenToAll(home: string): void {
  mkdirSync(join(home, "extensions"), { recursive: true });
  writeFileSync(join(home, "extensions/all-ears.js"), source(join(home, "heard.txt")));
}

/** Each once. */
export function readReceivedEvents(home: string): readonly string[] {
  const path = join(home, "heard.txt");
  return existsSync(path) ? [...new Set(readFileSync(path, "utf8").trim().split("\n"))] : [];
}

function source(path: string): string {
  return `
import { appendFileSync } from "node:fs";
export default (pith) => {
  for (const name of ${JSON.stringify(everyEvent)})
    pith.on(name, ({ type, customInstructions }) => {
      appendFileSync(${JSON.stringify(path)}, type + "\\n");
      if (type === "session_before_compact" && customInstructions === "never") return { cancel: true };
    });
  pith.registerCommand("ask-me", { description: "asks", run: async (_, { ui }) => String(await ui.confirm("Is it so?", "")) });
  pith.registerCommand("walk-back", {
    description: "goes back to what was said first",
    run: async (_, context) => {
      const first = (await context.session.branch()).find((each) => each.type === "message" && each.message.role === "assistant");
      return "walked " + JSON.stringify(await context.navigateTree(first.id));
    },
  });
  pith.registerCommand("fork-here", {
    description: "makes a session of this branch",
    run: async (_, context) => {
      const lastPrompt = (await context.session.branch()).findLast((each) => each.type === "message" && each.message.role === "user");
      return "forked " + JSON.stringify(await context.fork(lastPrompt.id));
    },
  });
  pith.registerCommand("begin-anew", { description: "begins anew", run: async (_, context) => "new " + JSON.stringify(await context.newSession()) });
};
`;
}
