/** Creates the replies of the scripted model in the scenarios. */

import type { Reply, Script, ScriptRequest, Step } from "@pith/testkit";

/** One after the other; the last one again and again. */
export function inTurn(...steps: readonly Step[]): (request: ScriptRequest) => Step {
  return ({ number }) => steps[Math.min(number, steps.length) - 1] ?? "";
}

export function call(name: string, given: Readonly<Record<string, unknown>>): Reply {
  return { parts: [{ type: "call", name, arguments: given }] };
}

/** A summary where one is asked for; else what the other script says, which does not see those requests. */
export function withSummaries(script: (request: ScriptRequest) => Step | Promise<Step>): Script {
  let number = 0;
  return (request) => {
    // Whoever tells a conversation in short is given no tools.
    if (request.tools.length === 0) return SUMMARY;
    number += 1;
    return script({ ...request, number });
  };
}

export const SUMMARY: string = [
  "## Goal\n- (none)",
  "## Constraints & Preferences\n- (none)",
  "## Progress\n### Done\n- [x] began\n\n### In Progress\n- [ ] counting the stars\n\n### Blocked\n- (none)",
  "## Key Decisions\n- **Count**: by hand",
  "## Next Steps\n1. go on",
  "## Critical Context\n- (none)",
].join("\n\n");

/** So many tokens, as the scripted model counts them, in lines of a dozen words. */
export function words(tokens: number): string {
  const lines = Math.ceil((tokens * 4) / 132);
  return Array.from(
    { length: lines },
    (_, at) => `line ${String(at).padStart(5, "0")} ${"of a long story ".repeat(7)}`,
  ).join("\n");
}
