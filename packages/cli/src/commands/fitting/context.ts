/** `/context`: what fills the window. */

import { told } from "../answers.ts";
import type { Command } from "../command.ts";

export const context: Command = {
  name: "context",
  says: "what fills the window, when it is too much, and what a compaction would free",
  async run(_, { agent: { session, budget } }) {
    await session.settle();
    const { contextReport } = await import("./context-report.ts");
    const { contextText } = await import("./context-text.ts");
    const report = contextReport(session.window, budget);
    return told(contextText(report), report);
  },
};
