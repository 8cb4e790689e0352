/** Takes back that a folder was trusted, also where the folder is gone. */

import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { projectFolders } from "../../prompting/project-folders.ts";
import type { Outcome } from "../../subcommands/subcommand.ts";
import { keepTrust, readTrust } from "./keeping/trust-file.ts";

export async function untrust(folder: string, home: string): Promise<Outcome> {
  const root = await rootOf(folder);
  const { projects, notes } = await readTrust(home);
  const [note] = notes;
  if (note !== undefined) return { type: "failed", message: note };
  const isTrusted = projects.has(root);
  const kept = isTrusted ? await keepTrust(root, { home, record: () => null }) : { type: "kept" as const };
  if (kept.type === "failed") return kept;
  const text = isTrusted ? `${root} is no longer trusted` : `${root} was not trusted`;
  return { type: "shown", text, data: { root, isTrusted: false, wasTrusted: isTrusted } };
}

async function rootOf(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => null);
  if (real === null) return folder;
  const [root = real] = await projectFolders(real, homedir());
  return root;
}
