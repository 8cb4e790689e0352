/** A talk with a branch to leave, for tests of going elsewhere. */

import type { Step } from "@pith/testkit";
import { allowAll, waitUntilIdle } from "../../../../support/busy-app.ts";
import {
  type InteractiveApp,
  type InteractiveAppOptions,
  startInteractiveApp,
} from "../../../../support/interactive-app.ts";

export const UP = "\x1b[A";
export const DOWN = "\x1b[B";
export const ENTER = "\r";
export const ESC = "\x1b";

/** What a model writes of a branch that is left. */
export const summary: string = [
  "## Goal\n- try it\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n",
  "### In Progress\n- [ ] the second way\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on",
].join("");

/** Two exchanges: `first` and `second` were said, and answered. */
export async function startTwoExchanges(
  script: readonly Step[],
  options: InteractiveAppOptions = {},
): Promise<InteractiveApp> {
  const app = await startInteractiveApp(["answer one", "answer two", ...script], allowAll(options));
  await exchange(app, "first", "answer one");
  await exchange(app, "second", "answer two");
  return app;
}

export async function exchange(app: InteractiveApp, words: string, answer: string): Promise<void> {
  app.submit(words);
  await app.waitForText(answer);
  await waitUntilIdle(app);
}

/** The tree is open, and all of it was read. */
export async function openTree(app: InteractiveApp, command = "/tree"): Promise<void> {
  app.submit(command);
  await app.waitForText(/\d+ entries(?! so far)/);
}

/** The picture there is now. */
export async function readScreen(app: InteractiveApp): Promise<string> {
  return (await app.terminal.screen()).join("\n");
}

/** When the picture shows it; what was there before does not count. */
export async function waitForScreen(app: InteractiveApp, text: string | RegExp): Promise<string> {
  for (const end = Date.now() + 300_000; ; ) {
    const screenText = await readScreen(app);
    if (typeof text === "string" ? screenText.includes(text) : text.test(screenText)) return screenText;
    if (Date.now() > end) throw new Error(`it never came: ${text}\n${screenText}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
