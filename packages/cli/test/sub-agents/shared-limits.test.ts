/** Tests the limits that sub-agents share with the process that starts them: cost, turns, their number, and trusted files. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callSubAgent, NO_SANDBOX, SubAgentProgram, tasks } from "./sub-agent-program.ts";

let company: SubAgentProgram;
beforeEach(() => {
  company = new SubAgentProgram();
});
afterEach(() => company.remove());

/** A call that costs $1.50 with the default model, and that the model repeats for ever. */
const dearCall: Reply = {
  parts: [{ type: "call", name: "read", arguments: { path: "a.txt" } }],
  usage: { input: 500_000, cacheRead: 0, cacheWrite: 0, output: 0 },
};
const MODEL = ["--model", "anthropic/claude-sonnet-4-5"];
/** So that nothing is paid but the replies. */
const NO_SUMMARIES = ["--no-auto-compact"];

function cheap(step: Reply): Reply {
  return { ...step, usage: { input: 100, cacheRead: 0, cacheWrite: 0, output: 0 } };
}

test("AGT18 eight sub-agents share one cost limit, and send no request once it is reached", async () => {
  writeFileSync(join(company.folder, "a.txt"), "text");
  const first = Promise.withResolvers<void>();
  let childRequests = 0;
  let parentRequests = 0;
  const variables = await company.serveAgents({
    parent: () => {
      parentRequests += 1;
      return cheap(callSubAgent({ tasks: tasks(8) }) as Reply);
    },
    // The first four, which run at the same time, have all asked before one of them is answered.
    child: async () => {
      childRequests += 1;
      if (childRequests === 4) first.resolve();
      await first.promise;
      return dearCall;
    },
  });
  const args = ["-p", ...MODEL, ...NO_SUMMARIES, ...NO_SANDBOX, "--max-cost", "0.10", "Go."];
  const { code, notes } = await company.run(args, { variables });
  expect(notes).toMatch(/the run stopped because it cost \$6\.\d+; the limit is \$0\.1; to continue, run pith -p -c/);
  expect({ code, parentRequests, childRequests }).toEqual({ code: 3, parentRequests: 1, childRequests: 4 });
});

test("AGT18 a sub-agent has the same limit of turns as its parent", async () => {
  writeFileSync(join(company.folder, "a.txt"), "text");
  let childRequests = 0;
  const variables = await company.serveAgents({
    parent: ({ resultCount }) =>
      resultCount === 0 ? callSubAgent({ agent: "scout", task: "Task 0." }) : "It stopped.",
    child: () => {
      childRequests += 1;
      return cheap(dearCall);
    },
  });
  const args = ["-p", ...MODEL, ...NO_SANDBOX, "--max-turns", "3", "Go."];
  const { code, out } = await company.run(args, { variables });
  expect({ code, out, childRequests }).toEqual({ code: 0, out: "It stopped.\n", childRequests: 3 });
  expect(JSON.stringify(company.lastRequestBody())).toContain("the run stopped at the limit of 3 turns");
});

test("AGT19 a sub-agent does not trust files that changed after its parent trusted them", async () => {
  const marker = join(company.userHome, "loaded");
  const extension = (text: string): string =>
    `import { appendFileSync } from "node:fs";\nexport default () => appendFileSync(${JSON.stringify(marker)}, ${JSON.stringify(text)});\n`;
  const file = join(company.folder, ".pith", "extensions", "note.js");
  mkdirSync(join(company.folder, ".pith", "extensions"), { recursive: true });
  writeFileSync(file, extension("trusted "));
  const childPrompts: string[] = [];
  const parent =
    (change: () => void) =>
    ({ resultCount }: { readonly resultCount: number }): Step => {
      if (resultCount > 0) return "Done.";
      change();
      return callSubAgent({ agent: "scout", task: "Task 0." });
    };
  const child = ({ text }: { readonly text: string }): Step => {
    childPrompts.push(text);
    return "Looked.";
  };
  const args = ["-p", ...MODEL, ...NO_SANDBOX, "--trust", "Go."];
  const unchanged = await company.serveAgents({ parent: parent(() => {}), child });
  await company.run(args, { variables: unchanged });
  expect(readFileSync(marker, "utf8")).toBe("trusted trusted ");
  const changed = await company.serveAgents({
    parent: parent(() => writeFileSync(file, extension("changed "))),
    child,
  });
  await company.run(args, { variables: changed });
  expect(readFileSync(marker, "utf8")).toBe("trusted trusted trusted ");
  expect(childPrompts).toHaveLength(2);
});
