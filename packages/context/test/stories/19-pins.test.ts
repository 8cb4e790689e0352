/** Story 19: the user pins a rule. It stands first, word for word, after every compaction, until it is taken away. */

import { expect, test } from "vitest";
import { pinEntry, pinText, unpin } from "../../src/summary-parts/pins.ts";
import { compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const rule = "Never push to main.\n\tAsk <first>, always.";

test("KEEP1 INV50 pins are unchanged after twenty compactions, and disappear when they are removed", async () => {
  const session = await createSession("user: use tabs,\nnot spaces", "says: fine");
  await pinText(session, rule);
  await pinEntry(session, "e1");
  const [first] = session.branch.state.pins;
  for (let round = 0; round < 20; round++) {
    await session.append({
      type: "custom_message",
      customType: "output",
      content: repeatWord(900, `r${round}w`),
      display: true,
    });
    expect(await compactSmall(session, { reason: "due" })).toMatchObject({ type: "compacted" });
    expect(
      frontOf(session).startsWith(
        `# Pinned by the user (always applies)\n\n[#3]\n${rule}\n\n[#1]\nuse tabs,\nnot spaces\n`,
      ),
    ).toBe(true);
  }
  await unpin(session, first?.id ?? "");
  await session.append({ type: "custom_message", customType: "output", content: repeatWord(900), display: true });
  await compactSmall(session, { reason: "due" });
  expect(frontOf(session)).not.toContain("push to main");
  expect(frontOf(session)).toContain("use tabs,\nnot spaces");
});

test("KEEP1 the model sees a pin before the first compaction", async () => {
  const session = await createSession("user: hello");
  await pinText(session, rule);
  expect(contextLines(session).at(-1)).toContain("Never push to main.");
});

function frontOf({
  branch: { entries, compactionIndex: compactionAt },
}: Awaited<ReturnType<typeof createSession>>): string {
  const compaction = entries[compactionAt];
  return compaction?.type === "compaction" ? compaction.summary : "";
}
