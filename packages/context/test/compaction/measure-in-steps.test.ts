/** Measuring before a plan: in pieces, once, and with the same outcome. */

import { expect, test } from "vitest";
import { collectCalibration } from "../../src/context/context-size.ts";
import type { Entry } from "../../src/entry.ts";
import { prepareCompaction } from "../../src/pi-calls.ts";
import { type LoadedBranch, loadBranch } from "../../src/session/loaded-branch.ts";
import { measureInSteps } from "../../src/summary-parts/user-messages.ts";
import { smallBudget } from "../support/small-session.ts";

/** Forty turns; `read` is told whenever the result of a tool is looked at. */
function longWindow(read: () => void = () => undefined): LoadedBranch {
  const entries: Entry[] = [];
  const add = (message: object): void => {
    const id = `e${entries.length + 1}`;
    const parentId = entries.at(-1)?.id ?? null;
    entries.push({ type: "message", id, parentId, timestamp: "", message } as Entry);
  };
  for (let turn = 0; turn < 40; turn++) {
    const call = { type: "toolCall", id: `call-${turn}`, name: "read", arguments: { path: `src/${turn}.ts` } };
    add({ role: "user", content: `Please look at file ${turn}.`, timestamp: turn });
    add({ role: "assistant", content: [call], stopReason: "toolUse", timestamp: turn });
    add({
      role: "toolResult",
      toolCallId: call.id,
      toolName: "read",
      get content() {
        read();
        return [{ type: "text", text: `const file${turn} = "some code that takes a few tokens";` }];
      },
      isError: false,
      timestamp: turn,
    });
    add({
      role: "assistant",
      content: [{ type: "text", text: `File ${turn} is fine.` }],
      stopReason: "stop",
      timestamp: turn,
    });
  }
  return loadBranch(entries);
}

test("DUE9 entries are measured a few at a time, and the resulting plan is the same", () => {
  const measured = longWindow();
  expect([...measureInSteps(measured)].length).toBeGreaterThan(10);
  const plan = prepareCompaction(measured, smallBudget());
  expect(plan.type).toBe("planned");
  expect(JSON.stringify(plan)).toBe(JSON.stringify(prepareCompaction(longWindow(), smallBudget())));
});

test("DUE9 entries that were measured in steps are not read again", () => {
  let reads = 0;
  const window = longWindow(() => {
    reads += 1;
  });
  for (const _ of measureInSteps(window));
  expect(reads).toBeGreaterThanOrEqual(40);
  reads = 0;
  collectCalibration(window);
  expect(reads).toBe(0);
});
