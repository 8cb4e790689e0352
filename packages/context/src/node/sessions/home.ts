/** Where Pith keeps sessions. Never found through the working directory: a session is the same from wherever one looks. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { formatLimits } from "../../limits.ts";
import type { Ports } from "../../ports.ts";
import { asItIs, type Redaction } from "../../session/redaction.ts";
import { realFiles } from "../files/real-files.ts";
import type { StoreParts } from "../jsonl/jsonl-store.ts";
import { realProcesses } from "../lease/owner.ts";
import { machine } from "../machine.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What every act on sessions can be given; a real machine stands in for what is left out. */
export interface HomeParts extends Partial<Omit<StoreParts, "ports">> {
  readonly ports?: Ports;
  /** Where `PITH_HOME` is looked up. */
  readonly env?: Environment;
  /** What is written passes it; without it, all is written as it is. */
  readonly redaction?: Redaction;
}

/** `$PITH_HOME`, or `~/.pith`. */
export function pithHome(env: Environment = process.env): string {
  // A relative one counts from the user's home, or it would be another place in every folder.
  return resolve(homedir(), env.PITH_HOME || ".pith");
}

export function sessionsFolder(env?: Environment): string {
  return join(pithHome(env), "sessions");
}

export function trashFolder(env?: Environment): string {
  return join(pithHome(env), "trash");
}

export function settled({
  files = realFiles,
  ports = machine,
  processes = realProcesses,
  limits = formatLimits,
  durability = "durable",
  env = process.env,
  redaction = asItIs,
}: HomeParts): Required<HomeParts> {
  return { files, ports, processes, limits, durability, env, redaction };
}
