/** Tests the program as a process, with a model that makes odd calls: it answers, continues, and the session stays intact. */

import { expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

const call = (name: string, args: Readonly<Record<string, unknown>> = {}) =>
  ({ type: "call", name, arguments: args }) as const;

test("CNV3 CNV20 calls of unknown tools and with arguments too deep for a session get an error result, and the turn continues", async () => {
  const program = new TestProgram();
  try {
    const deep: unknown = JSON.parse("[".repeat(3_000) + "]".repeat(3_000));
    const parts = [call("constructor"), call("__proto__"), call("a b"), call("read", { path: "x", deep })];
    const first = await program.runWithScript(["-p", "go"], [{ parts }, "Done."]);
    expect(first).toMatchObject({ code: 0, out: "Done.\n" });
    const results = JSON.stringify(program.lastRequestBody());
    expect(results).toContain("unknown tool constructor;");
    expect(results).toContain("the arguments are not a JSON object");
    expect(await program.runWithScript(["-p", "-c", "again"], ["Still here."])).toMatchObject({
      code: 0,
      out: "Still here.\n",
    });
  } finally {
    await program.remove();
  }
});
