/** Proves that a host can add a part of its own to the summary message, and that it stays through the next compaction. */

import { describe, expect, test } from "vitest";
import { readReceipt } from "../../src/compaction/receipt.ts";
import type { SummaryPart } from "../../src/compaction/summary-message.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { readSummaryParts, summaryBlockLengths } from "../../src/context/read-summary-parts.ts";
import { previewCompaction } from "../../src/default-compaction.ts";
import type { CompactionEntry } from "../../src/entry.ts";
import type { Session } from "../../src/session/session.ts";
import { defaultParts } from "../../src/summary-parts/default-parts.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { compactSmall, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const tickets = (list: readonly string[]): SummaryPart<readonly string[]> => ({
  kind: "host.tickets",
  collect: () => list,
  render: (kept) => (kept.length === 0 ? "" : `# Open tickets\n${kept.map((each) => `- ${each}`).join("\n")}`),
  details: (kept) => ({ tickets: kept }),
});

const lines = ["user: fix the login", `says: ${repeatWord(900)}`, "user: and the logout", "says: ok"];

function newestCompaction({ branch }: Session): CompactionEntry {
  const entry = branch.entries[branch.compactionIndex];
  if (entry?.type !== "compaction") throw new Error("not compacted");
  return entry;
}

function shownFirst(session: Session): string {
  return JSON.stringify(buildSessionContext(session.branch).messages[0]);
}

describe("PART1 a part of the host", () => {
  test("PART1 is in the summary message, is recorded, and is rendered again by the next compaction", async () => {
    const session = await createSession(...lines);
    await compactSmall(session, { parts: [...defaultParts, tickets(["LOGIN-1 cookie"])] });
    const first = newestCompaction(session);
    expect(first.summary).toMatch(/\n\n# Open tickets\n- LOGIN-1 cookie$/);
    expect(readSummaryParts(first).at(-1)?.kind).toBe("host.tickets");
    expect(first.details).toMatchObject({ pith: { tickets: ["LOGIN-1 cookie"] } });
    expect(shownFirst(session)).toContain("LOGIN-1 cookie");

    const content = repeatWord(900, "more");
    await session.append({ type: "message", message: { role: "user", content, timestamp: 1 } });
    await session.append({ type: "message", message: { role: "user", content: "go on", timestamp: 2 } });
    await compactSmall(session, { parts: [...defaultParts, tickets(["LOGIN-1 cookie", "LOGIN-2 logout"])] });
    const second = newestCompaction(session);
    expect(second.id).not.toBe(first.id);
    expect(second.summary.match(/# Open tickets/g)).toHaveLength(1);
    expect(second.summary).toContain("- LOGIN-2 logout");
    expect(second.summary).toContain("fix the login");
  });

  test("PART1 has its share of the tokens; a longer text keeps its first lines, and the receipt reports it", async () => {
    const session = await createSession(...lines);
    const many = Array.from({ length: 100 }, (_, index) => `TICKET-${index} ${repeatWord(5)}`);
    await compactSmall(session, { parts: [...defaultParts, tickets(many)] });
    const compaction = newestCompaction(session);
    const text = compaction.summary.slice(compaction.summary.indexOf("# Open tickets"));
    expect(text).toContain("TICKET-0 ");
    expect(textTokens(text)).toBeLessThanOrEqual(60);
    expect(readReceipt(compaction)?.findings.map(({ code }) => code)).toContain("part-shortened");
  });

  test("PART1 leaves the blocks that providers cache unchanged, even if it comes first", async () => {
    const session = await createSession(...lines);
    await compactSmall(session, { parts: [tickets(["LOGIN-1"]), ...defaultParts] });
    const compaction = newestCompaction(session);
    expect(compaction.summary).toMatch(/^# Open tickets\n- LOGIN-1\n\n# User messages/);
    expect(summaryBlockLengths(compaction)).toEqual([compaction.summary.length]);
  });

  test("PART1 without text changes nothing", async () => {
    const session = await createSession(...lines);
    const preview = previewCompaction(session.branch, smallBudget());
    const withPart = previewCompaction(session.branch, smallBudget(), {
      reason: "asked",
      parts: [...defaultParts, { ...tickets([]), details: () => ({}) }],
    });
    expect(withPart).toEqual(preview);
  });

  test("PART1 must not use a kind or a field of details that is already used", async () => {
    const session = await createSession(...lines);
    const preview = (part: SummaryPart): unknown =>
      previewCompaction(session.branch, smallBudget(), { reason: "asked", parts: [...defaultParts, part] });
    expect(() => preview({ ...tickets([]), kind: "pins" } as SummaryPart)).toThrow("same kind");
    expect(() => preview({ ...tickets([]), details: () => ({ ledger: 1 }) } as SummaryPart)).toThrow('"ledger"');
    expect(() => preview({ ...tickets([]), details: () => ({ front: 1 }) } as SummaryPart)).toThrow('"front"');
  });
});
