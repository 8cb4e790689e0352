/** Runs the interactive program with a conversation: two exchanges, or so much that its small context is soon full. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptRequest, Step } from "@pith/testkit";
import {
  allowAll,
  type InteractiveApp,
  type InteractiveAppOptions,
  startInteractiveApp,
  waitUntilIdle,
} from "./interactive-app.ts";
import { isSummaryInstruction } from "./test-program.ts";

export const UP = "\x1b[A";
export const DOWN = "\x1b[B";
export const ENTER = "\r";
export const ESC = "\x1b";
export const ALT_U = "\x1bu";

/** A usable answer to a request for a summary, of a session or of a branch. */
export const SUMMARY =
  "## Goal\n- talk\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the talk\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

export interface LongSessionOptions {
  readonly settings?: object;
  /** Summaries arrive slowly, so that they can be stopped. */
  readonly isSlow?: boolean;
  /** Words of an answer. */
  readonly words?: number;
}

export async function startLongSession({
  settings = {},
  isSlow = false,
  words = 1_200,
}: LongSessionOptions = {}): Promise<InteractiveApp> {
  const script = ({ tools, body }: ScriptRequest): Step => {
    if (tools.length === 0 || isSummaryInstruction(JSON.stringify(body)))
      return { parts: [{ type: "text", text: SUMMARY }], ...(isSlow && { pace: { waitMs: 60_000 } }) };
    // The newest question may stand before an entry that a program wrote.
    const [, number = "?"] = [...JSON.stringify(body).matchAll(/question (\d+)/g)].at(-1) ?? [];
    return `Answer ${number} ends here. ${"some more words on it ".repeat(words / 5)}`;
  };
  return await startInteractiveApp(script, {
    args: { overrides: { model: "anthropic/claude-sonnet-4-5" } },
    prepare: ({ home }) =>
      writeFileSync(join(home, "settings.json"), JSON.stringify({ contextWindow: 24_000, ...settings })),
  });
}

/** Asks so many numbered questions, and waits for each answer. */
export async function exchangeMessages(app: InteractiveApp, count: number, from = 1): Promise<void> {
  for (let at = from; at < from + count; at++) await exchange(app, `question ${at}`, `Answer ${at} ends here`);
}

export async function exchange(app: InteractiveApp, words: string, answer: string): Promise<void> {
  app.submit(words);
  await app.waitForText(answer);
  await waitUntilIdle(app);
}

export function isCompacted({ screen }: InteractiveApp): boolean {
  return screen.state.blocks.some(({ kind }) => kind === "compaction") || screen.state.lastPrintedKind === "compaction";
}

/** Two exchanges, `first` and `second`, and then the script. */
export async function startTwoExchanges(
  script: readonly Step[],
  options: InteractiveAppOptions = {},
): Promise<InteractiveApp> {
  const app = await startInteractiveApp(["answer one", "answer two", ...script], allowAll(options));
  await exchange(app, "first", "answer one");
  await exchange(app, "second", "answer two");
  return app;
}

/** Opens the tree, and waits until all of it has been read. */
export async function openTree(app: InteractiveApp, command = "/tree"): Promise<void> {
  app.submit(command);
  await app.waitForText(/\d+ entries(?! so far)/);
}
