/** Counts the functions between a run and the request of a summary, which a reader of the code has to follow. */

import { compactionLimits, type Model } from "@pith/context";
import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { agentOf, echo, modelOf, providers, ran } from "../support/served-agents.ts";

test("CMP14 at most 14 functions are between a compaction and the request of its summary", async () => {
  let stack = "";
  const server = await startServer({
    script: ({ tools }) => (tools.length === 0 ? "## Goal\n- Read" : "Done."),
  });
  const model = await modelOf(providers[0], server, 20_000);
  const watched: Model = {
    ...model,
    stream(request, options) {
      if (request.tools.length === 0) stack ||= new Error("the request of a summary").stack ?? "";
      return model.stream(request, options);
    },
  };
  const agent = await agentOf(watched, { tools: [echo], limits: { ...compactionLimits, prepare: "never" } });
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 200;
  for (let turn = 0; turn < 12 && stack === ""; turn++)
    await ran(agent, `Read this. ${"let parser = token;\n".repeat(500)}`);
  Error.stackTraceLimit = stackTraceLimit;
  await server.close();
  const frames = stack.split("\n").filter((line) => line.includes("/src/"));
  console.log(frames.join("\n"));
  // The whole way, from the agent on: an async stack ends where a promise is not awaited.
  expect(frames[0]).toContain("packages/context/src/summary/ask-model.ts");
  expect(frames.at(-1)).toContain("packages/agent/src/compaction/compact.ts");
  expect(frames.length).toBeLessThanOrEqual(14);
});
