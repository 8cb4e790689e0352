/** Counts the functions between a run and the request of a summary, which a reader of the code has to follow. */

import { compactionLimits, type Model } from "@pith/context";
import { startServer } from "@pith/testkit";
import { expect, test } from "vitest";
import { agentOf, echo, modelOf, ran, voices } from "../agents.ts";

test("CMP19 prints the stack when a summary is requested; at most 14 functions", async () => {
  let stack = "";
  const server = await startServer({
    script: ({ tools }) => (tools.length === 0 ? "## Goal\n- Read" : "Done."),
  });
  const model = await modelOf(voices[0], server, 20_000);
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
  expect(frames.length).toBeGreaterThan(5);
  expect(frames.length).toBeLessThanOrEqual(14);
});
