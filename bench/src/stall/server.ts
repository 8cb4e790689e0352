/** Runs the scripted server of `pnpm bench stall` in a worker: an agent that calls a tool in every round, and a slow summarizer. */

import { parentPort, workerData } from "node:worker_threads";
import { type ScriptRequest, type Step, startServer } from "@pith/testkit";

export interface ServerData {
  readonly rounds: number;
  readonly roundMs: number;
  readonly summaryMs: number;
}

/** The name of the model that writes summaries. */
export const SUMMARIZER = "summarizer";

const SECTIONS: readonly (readonly [string, string])[] = [
  ["## Goal", "## Goal\n- survey the stones"],
  ["## Constraints & Preferences", "## Constraints & Preferences\n- (none)"],
  ["## Progress", "## Progress\n### Done\n- [x] (none)\n\n### In Progress\n- [ ] the survey\n\n### Blocked\n- (none)"],
  ["## Key Decisions", "## Key Decisions\n- (none)"],
  ["## Next Steps", "## Next Steps\n1. measure the next stone"],
  ["## Critical Context", "## Critical Context\n- (none)"],
  ["## Original Request", "## Original Request\n- survey the stones"],
  ["## Early Progress", "## Early Progress\n- (none)"],
  ["## Context for Suffix", "## Context for Suffix\n- (none)"],
];

if (parentPort) {
  const { rounds, roundMs, summaryMs } = workerData as ServerData;
  const roundsBySession = new Map<string, number>();
  const answer = ({ model, text }: ScriptRequest): Step => {
    if (model === SUMMARIZER) {
      const sections = SECTIONS.filter(([title]) => text.includes(title)).map(([, section]) => section);
      return { parts: [{ type: "text", text: sections.join("\n\n") }], pace: { waitMs: summaryMs } };
    }
    // Every session uses a model name of its own.
    const round = (roundsBySession.get(model) ?? 0) + 1;
    roundsBySession.set(model, round);
    const parts: Extract<Step, { parts: unknown }>["parts"] =
      round > rounds
        ? [{ type: "text", text: "All stones are measured." }]
        : [{ type: "call", name: "measure", arguments: { stone: round } }];
    return { parts, pace: { waitMs: roundMs } };
  };
  const server = await startServer({ script: answer });
  parentPort.postMessage(server.url);
  parentPort.once("message", async () => {
    await server.close();
    parentPort?.close();
  });
}
