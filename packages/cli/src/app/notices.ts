/** Returns the notices about changes in an upgrade that the user has not seen yet, and records them in `~/.pith/notices.json`. */

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile, writeOwnerOnlyFile } from "@pith/agent/node";
import type { HostContext } from "@pith/host/host-context";

export interface Notice {
  /** Must never be reused for another text. */
  readonly id: string;
  readonly text: string;
}

/** Newest last. At most 8 lines of 76 characters each, so that a small screen shows each line as one. */
export const NOTICES: readonly Notice[] = [
  {
    id: "hosts-and-hidden-home",
    text: [
      "Pith now blocks more by default. What changed, and how to allow it:",
      "  Your home and other projects are hidden from commands: sandboxRead",
      "  Secret variables are not passed to commands: setting sandboxEnvironment",
      "  New hosts need approval: --allow 'network(host)' or --network open",
      "  So do new hosts for fetch: --allow 'fetch(host)'",
      "  Commands get placeholders for secrets; a real value needs your approval",
      "  MCP servers start in a sandbox once you trust them: pith mcp trust NAME",
      "Shown once. Details and examples: docs/security.md",
    ].join("\n"),
  },
];

export interface NoticeOptions extends Pick<HostContext, "home"> {
  readonly isSessionSaved: boolean;
}

/**
 * Returns the texts to show and records them as shown. Call it before the session is opened. A home without sessions belongs to a new
 * user, who needs no notice. Its record must exist before its first session does, or a second process would show the notices.
 */
export async function takeNotices({ home, isSessionSaved }: NoticeOptions): Promise<readonly string[]> {
  const isNewHome = !existsSync(join(home, "sessions"));
  const shownIds = await readShownIds(home);
  const dueNotices = NOTICES.filter(({ id }) => !shownIds.includes(id));
  // A session that is not saved must not create files in a new home.
  if (dueNotices.length === 0 || (isNewHome && !isSessionSaved)) return [];
  const isRecorded = await writeShownIds(home, [...shownIds, ...dueNotices.map(({ id }) => id)]);
  return isNewHome || !isRecorded ? [] : dueNotices.map(({ text }) => text);
}

async function readShownIds(home: string): Promise<readonly string[]> {
  try {
    const bytes = await readRegularFile(noticesFile(home), MAX_FILE_BYTES);
    const value: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    const ids = typeof value === "object" && value !== null && "shown" in value ? value.shown : null;
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    // The file is missing, damaged or not readable. Rewriting it repairs it, or fails, and then nothing is shown.
    return [];
  }
}

async function writeShownIds(home: string, ids: readonly string[]): Promise<boolean> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeOwnerOnlyFile(noticesFile(home), new TextEncoder().encode(`${JSON.stringify({ shown: ids })}\n`));
    return true;
  } catch {
    // Without a record, a notice would be shown at every start, which is worse than none.
    return false;
  }
}

function noticesFile(home: string): string {
  return join(home, "notices.json");
}

const MAX_FILE_BYTES = 64 * 1024;
