/** Texts within bounds. */

import assert from "node:assert/strict";
import { test } from "vitest";
import { createExcerpt } from "../../src/sub-agents/result.ts";

test("AGT8 a long text is shortened to its beginning and end, without broken characters", () => {
  const text = `begin ${"ü".repeat(5_000)} end`;
  const { excerpt, isWhole } = createExcerpt(text, 1_001);
  assert.equal(isWhole, false);
  assert.ok(excerpt.startsWith("begin ü") && excerpt.endsWith("ü end"));
  assert.ok(!excerpt.includes("\ufffd"));
  assert.ok(Buffer.byteLength(excerpt) <= 1_001 + 60);
  assert.deepEqual(createExcerpt("short", 5), { excerpt: "short", isWhole: true });
});
