/** What somebody did not want to trust, by its hash alone, so that nobody is asked twice about the same bytes. It permits nothing, whoever wrote it. */

import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inOrder, ownFile } from "@pith/agent/node";
import { objectIn } from "../../json.ts";
import { hashOf } from "../holding/hash-of.ts";
import type { Holdings } from "../holding/held-file.ts";

/** Whether it was declined as it lies there now. */
export async function wasDeclined(holds: Holdings, home: string): Promise<boolean> {
  return (await declinedIn(home)).get(keyOf(holds)) === hashOfAll(holds);
}

/** Where it cannot be kept, one is asked again, and nothing else is lost. */
export async function keepDeclined(holds: Holdings, home: string): Promise<void> {
  const file = declinedFile(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await inOrder(file, async () => {
      const others = [...(await declinedIn(home))].filter(([key]) => key !== keyOf(holds));
      const kept = [...others, [keyOf(holds), hashOfAll(holds)]].slice(-MOST);
      await ownFile(file, new TextEncoder().encode(`${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`));
    });
  } catch {
    // See above.
  }
}

const MOST = 500;

async function declinedIn(home: string): Promise<ReadonlyMap<string, unknown>> {
  const text = await readFile(declinedFile(home), "utf8").catch(() => "");
  return new Map(Object.entries(objectIn(text) ?? {}));
}

/** From another folder of the same project other files may be seen. */
function keyOf({ root, folders }: Holdings): string {
  return folders.at(-1) ?? root;
}

function hashOfAll({ files }: Holdings): string {
  const lines = files.map(({ name, hash }) => `${hash} ${name}\n`);
  return hashOf(new TextEncoder().encode(lines.sort().join("")));
}

function declinedFile(home: string): string {
  return join(home, "declined.json");
}
