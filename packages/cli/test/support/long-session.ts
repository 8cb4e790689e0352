/** A talk whose context is small and soon full, for tests of compactions on a screen. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptRequest, Step } from "@pith/testkit";
import { type InteractiveApp, startInteractiveApp } from "./interactive-app.ts";
import { isSummaryInstruction } from "./test-program.ts";

export const ENTER = "\r";
export const ESC = "\x1b";
export const ALT_U = "\x1bu";

/** A usable answer to a request for a summary. */
export const SUMMARY =
  "## Goal\n- talk\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the talk\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

export interface LongSessionOptions {
  readonly settings?: object;
  /** What is told in short comes slowly, so that it can be stopped. */
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

/** Said, answered, and nothing more under way. */
export async function exchangeMessages(app: InteractiveApp, count: number, from = 1): Promise<void> {
  for (let at = from; at < from + count; at++) {
    app.submit(`question ${at}`);
    await app.waitForText(`Answer ${at} ends here`);
    await waitUntilIdle(app);
  }
}

export async function waitUntilIdle({ screen, waitUntil }: InteractiveApp): Promise<void> {
  await waitUntil(() => screen.state.activity.type === "idle");
}

/** The lines of the session's file. */
export function isCompacted({ screen }: InteractiveApp): boolean {
  return screen.state.blocks.some(({ kind }) => kind === "compaction") || screen.state.lastPrintedKind === "compaction";
}

/** What the picture shows now. */
export async function readScreen({ terminal }: InteractiveApp): Promise<string> {
  return (await terminal.screen()).join("\n");
}

export async function waitForScreen(app: InteractiveApp, text: string): Promise<string> {
  let screenText = "";
  for (const end = Date.now() + 300_000; !screenText.includes(text); ) {
    screenText = await readScreen(app);
    if (Date.now() > end) throw new Error(`it never came: ${text}\n${screenText}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return screenText;
}
