/** What people look for in settings and what is said elsewhere: whoever believes that something is set must not find out later that it was not. */

import type { Path } from "./field.ts";

export interface Elsewhere {
  /** Where to say it instead. */
  readonly says: string;
  /** Whether it is worse to go on without it than to stop. */
  readonly isGrave: boolean;
}

/** Null for what we know nothing of. */
export function elsewhere(path: Path): Elsewhere | null {
  const [name = ""] = path;
  return path.length === 1 && Object.hasOwn(PLACES, name) ? (PLACES[name] ?? null) : null;
}

const rules = { says: "give rules with --allow and --deny", isGrave: true };
const keys = { says: "keys come from the environment, or from your keys.json", isGrave: false };
const network = { says: "HTTPS_PROXY and NO_PROXY say how the network is reached", isGrave: false };
const run = { says: "nothing that stands in settings is run, but for mcpServers", isGrave: false };

const PLACES: Readonly<Record<string, Elsewhere>> = {
  allow: rules,
  deny: rules,
  permissions: rules,
  mode: { says: "write permissionMode", isGrave: true },
  autoCompact: { says: 'write "compaction": { "enabled": false }', isGrave: true },
  apiKey: keys,
  apiKeys: keys,
  keys,
  proxy: network,
  httpProxy: network,
  httpsProxy: network,
  headers: { says: "requests carry no headers of yours", isGrave: false },
  env: { says: "variables come from the shell that starts pith", isGrave: false },
  command: run,
  commands: run,
  hooks: run,
};
