/** Proves what a person's words carry and what they do not: questions, greetings, names the other way round; and what answers. */

import { describe, expect, test } from "vitest";
import { auditSummary } from "../../../src/summary/audit.ts";
import { evidenceFor } from "./asked.ts";

function codes(said: string, text: string): readonly string[] {
  return auditSummary(text, evidenceFor([`user: ${said}`]), { sections: [], tokens: 4000 })
    .map(({ code }) => code)
    .filter((code) => code !== "other-language");
}

describe("what was said", () => {
  test.each([
    ["should we delete the cache?", "delete the cache"],
    ["rename foo to bar", "rename bar to foo"],
    ["prefer vitest over jest", "prefer jest over vitest"],
    ["move the files from a to b", "move the files from b to a"],
    ["keep backups for 7 days, logs for 30 days", "keep backups for 30 days, logs for 7 days"],
    ["give bob read access", "give bob write access"],
    ["verwijder de logs niet", "verwijder de logs"],
  ])("AUD4 %j does not found %j", (said, line) => {
    expect(codes(said, `## Goal\n- ${line} (entry:e1)`)).toEqual(["unfounded"]);
  });

  test.each([
    ["could you delete the cache?", "delete the cache"],
    ["rename foo to bar", "rename foo to bar"],
    ["please don't add deps", "No new dependencies"],
    ["max 3 retries", "at most three retries"],
  ])("AUD4 %j founds %j", (said, line) => {
    expect(codes(said, `## Goal\n- ${line} (entry:e1)`)).toEqual([]);
  });

  test.each(["fix the parser. ok?", "good morning, fix the parser"])("AUD4 %j is no consent", (said) => {
    expect(codes(said, "## Key Decisions\n- The user approved the parser (entry:e1)")).toEqual(["unfounded"]);
  });

  test.each([["👍", "User agreed"]])("AUD4 %j answers: %j", (said, line) => {
    expect(codes(said, `## Key Decisions\n- ${line} (entry:e1)`)).toEqual([]);
  });
});

test.each(["## Next Steps", "### In Progress", "### Blocked"])(
  "AUD5 a plan may name what is not there yet: %s",
  (at) => {
    expect(codes("look at auth", `${at}\n- write src/auth/refresh.test.ts`)).toEqual([]);
  },
);
