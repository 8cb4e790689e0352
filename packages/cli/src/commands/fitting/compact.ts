/** `/compact`: what was said so far is told in short, whatever the threshold says. */

import { mistake } from "../../asking/mistake.ts";
import { amount } from "../../printing/amounts.ts";
import { told } from "../answers.ts";
import type { Command } from "../command.ts";
import { compactionTold } from "./compaction-told.ts";

export const compact: Command = {
  name: "compact",
  takes: "[instructions] [--preview]",
  says: "tell what was said so far in short, and what to look at; --preview only shows what would become of it",
  examples: ["/compact", "/compact keep every decision on the schema", "/compact --preview"],
  async run(words, { agent, note }) {
    if (PREVIEW.test(words)) {
      const { previewTold } = await import("./preview-told.ts");
      return previewTold(agent);
    }
    if (words.startsWith("--")) return mistake(`there is no ${words.split(/\s/)[0]} here; there is --preview`);
    // It waits for the moment between two requests; the run goes on afterwards.
    if (agent.isRunning) note?.("compacting as soon as the request under way has its answer");
    const compacted = await agent.compact(words === "" ? undefined : words);
    if (compacted.type !== "nothing-to-do" || compacted.why !== "too-short") return compactionTold(compacted);
    const { tail } = agent.budget;
    const kept = `the newest ${amount(tail)} tokens are always kept ("compaction.keepRecentTokens")`;
    return told(`nothing was compacted: it is too short; ${kept}`, compacted);
  },
};

/** Wherever it stands: what was only to be looked at is not done. */
const PREVIEW = /(?:^|\s)--preview(?=\s|$)/;
