/** Tests that a tool with large output leaves the screen usable: updates are bounded, and no part of the work takes long. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { allowAll, startInteractiveApp } from "../../../support/interactive-app.ts";
import { createTestScreen } from "../../../support/test-screen.ts";

const bash = (command: string) => ({ parts: [{ type: "call", name: "bash", arguments: { command } }] }) as const;

/** The processor time, in milliseconds, of the longest stretch in which nothing else could be done. Other programs do not count. */
function longestStretch(): () => number {
  let longest = 0;
  let last = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  }, 5);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Far more than at rest, on any machine. */
const LONGEST = 3_000;

test.each([
  ["a million lines", "yes | head -n 1000000"],
  ["one line of 10 MB", "head -c 10000000 /dev/zero | tr '\\0' x"],
  ["a line that is written again and again", "i=0; while [ $i -lt 20000 ]; do printf '%d %%\\r' $i; i=$((i+1)); done"],
])("SNK10 the screen stays responsive during %s", async (_, command) => {
  const app = await startInteractiveApp([bash(command), "Done."], allowAll());
  const stretch = longestStretch();
  app.submit("go");
  while (app.server.requests.length < 2 || app.screen.state.activity.type !== "idle") await sleep(20);
  expect(stretch()).toBeLessThan(LONGEST);
  await app.waitForText("Done.");
  expect(app.terminal.written).toBeLessThan(2_000_000);
});

test("SNK10 output of 50 KB that arrives ten thousand times is drawn at a limited rate", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const call = { toolCallId: "c", toolName: "bash", args: { command: "x" } };
  const block = {
    kind: "tool",
    id: "c",
    tool: "bash",
    arguments: call.args,
    state: "running",
    output: "",
    images: [],
  };
  screen.update((state) => ({ ...state, blocks: [block as never] }));
  const text = "x".repeat(50 * 1024);
  for (let at = 0; at < 10_000; at += 1)
    screen.handleEvent({ type: "tool_execution_update", ...call, partialResult: `${text}${at}` });
  expect(terminal.written).toBeLessThan(1_000_000);
  screen.stop();
});
