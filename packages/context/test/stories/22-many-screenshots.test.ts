/** Story 22: sixty screenshots of a megabyte each. The request never weighs more than the wire should carry. */

import { expect, test } from "vitest";
import { createBudget } from "../../src/compaction/budget.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { compact } from "../../src/default-compaction.ts";
import { compactionLimits } from "../../src/settings.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { createSession } from "../support/small-session.ts";
import { storyModel } from "../support/story-context.ts";

test("DUE1 KEEP8 the request stays under 80% of the byte limit, and every image can be opened again", async () => {
  const session = await createSession("user: watch the page");
  const budget = createBudget(compactionLimits, { contextWindow: 1_000_000, model: storyModel });
  const ports = testRuntime("m");
  const data = `iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYAAADPfd1W${"A".repeat(1_398_060)}`;
  let compactions = 0;
  for (let shot = 1; shot <= 60; shot++) {
    await session.append(
      {
        type: "message",
        message: {
          role: "assistant",
          ...storyModel,
          content: [{ type: "toolCall", id: `c${shot}`, name: "look", arguments: { path: `shot${shot}.png` } }],
          usage: emptyUsage,
          stopReason: "toolUse",
          timestamp: 1,
        },
      },
      {
        type: "message",
        message: {
          role: "toolResult",
          toolCallId: `c${shot}`,
          toolName: "look",
          content: [
            { type: "text", text: `the page at step ${shot}` },
            { type: "image", data, mimeType: "image/png" },
          ],
          isError: false,
          timestamp: 1,
        },
      },
    );
    if (compactionDue(session.branch, budget).type === "due") {
      expect(await compact({ session, budget, reason: "due", runtime: ports })).toMatchObject({ type: "compacted" });
      compactions++;
    }
    const request = buildRequest(buildSessionContext(session.branch), { model: storyModel });
    expect(JSON.stringify(request).length).toBeLessThan(0.8 * compactionLimits.requestSize.bytes);
  }
  expect(compactions).toBeLessThan(10);
  const shown = JSON.stringify(buildRequest(buildSessionContext(session.branch), { model: storyModel }).messages);
  expect(shown).toMatch(/\[image #\d+,[^\]]*shot\d+\.png/);
});
