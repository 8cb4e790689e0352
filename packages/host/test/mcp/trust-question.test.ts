/** What the answers to the question of trust are. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { createTrustConfirm } from "../../src/mcp/trust-question.ts";

test("MCP4 only the second answer to the trust question trusts the server; the first and no answer do not", async () => {
  const { signal } = new AbortController();
  const answer = (at: number) =>
    createTrustConfirm({ select: async (_, options) => options[at] })("calc: trust its tools?", "1 tool", {
      signal,
      yes: "Yes",
    });
  assert.deepEqual(await Promise.all([0, 1, 2].map(answer)), [false, true, false]);
});
