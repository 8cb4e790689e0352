/** Tells a user once what an upgrade changed: which notices were shown is recorded in `~/.pith/notices.json`. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ownFile, readOwn } from "@pith/agent/node";

export interface Notice {
  /** Never used again for another text. */
  readonly id: string;
  readonly text: string;
}

/** Newest last. At most 8 lines each; commands and settings as they can be typed. */
export const NOTICES: readonly Notice[] = [
  {
    id: "hosts-and-hidden-home",
    text: [
      "Pith blocks more by default since this version. Each line ends with what allows it again:",
      '  Commands do not see your home folder.               settings: sandboxRead, e.g. ["~/code/lib"]',
      '  Commands do not get variables that look secret.     settings: sandboxEnvironment, e.g. ["NPM_TOKEN"]',
      "  Commands ask before each new host.                  --allow 'network(example.com)' or --network open",
      "  fetch asks before each new host.                    --allow 'fetch(example.com)'",
      "  Placeholders of secrets stay placeholders in commands; the model asks you for the true value.",
      "  MCP servers start in a sandbox, once you trust them. pith mcp trust NAME",
      "This notice is shown once. All of it: docs/security.md",
    ].join("\n"),
  },
];

export type TakeNotices = (session: { readonly keepsSession: boolean }) => Promise<readonly string[]>;

/**
 * Call it before the session is opened: a home without sessions is a newcomer's, who has nothing to be told. Call the result once the
 * session is open: it records the notices and gives the texts to show, none where they could not be recorded.
 */
export async function findNotices(home: string): Promise<TakeNotices> {
  const isNewHome = !existsSync(join(home, "sessions"));
  const shown = await readShown(home);
  const due = NOTICES.filter(({ id }) => !shown.includes(id));
  return async ({ keepsSession }) => {
    // A session that is not kept leaves a new home as new as it was.
    if (due.length === 0 || (isNewHome && !keepsSession)) return [];
    const isRecorded = await recordShown(home, [...shown, ...due.map(({ id }) => id)]);
    return isNewHome || !isRecorded ? [] : due.map(({ text }) => text);
  };
}

async function readShown(home: string): Promise<readonly string[]> {
  try {
    const bytes = await readOwn(fileIn(home), MOST_BYTES);
    const value: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    const ids = typeof value === "object" && value !== null && "shown" in value ? value.shown : null;
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    // Not there, damaged or closed to us: writing it anew mends it, or fails, and then nothing is shown.
    return [];
  }
}

async function recordShown(home: string, ids: readonly string[]): Promise<boolean> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await ownFile(fileIn(home), new TextEncoder().encode(`${JSON.stringify({ shown: ids })}\n`));
    return true;
  } catch {
    // A notice that is shown at every start is worse than none.
    return false;
  }
}

function fileIn(home: string): string {
  return join(home, "notices.json");
}

const MOST_BYTES = 64 * 1024;
