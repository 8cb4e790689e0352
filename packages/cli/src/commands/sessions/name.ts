/** `/name`: what a session is called in lists. */

import { plainText } from "@pith/context";
import { told, written } from "../answers.ts";
import type { Command } from "../command.ts";

export const name: Command = {
  name: "name",
  takes: "[words|--none]",
  says: "what this session is called in lists; --none takes its name away",
  examples: ["/name the login bug", "/name"],
  async run(words, { agent }) {
    const known = await agent.session.store.name();
    if (words === "")
      return told(known ?? "this session has no name yet; /name and some words give it one", { name: known ?? null });
    const wanted = words === "--none" ? "" : plainText(words);
    const appended = await agent.annotate((session) => session.append({ type: "session_info", name: wanted }));
    return written(appended, () =>
      told(wanted === "" ? "the name is gone" : `called: ${wanted}`, { name: wanted || null }),
    );
  },
};
