/** The vault of this program: with the secrets of its environment, of the user's keys and of servers of tools, unless redaction was switched off. */

import { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import { readKeyFile } from "../key-file.ts";
import { keyFile } from "../keys.ts";
import type { Settings } from "../settings.ts";
import { keyedDigest } from "./keyed-digest.ts";
import { type ServersWritten, serverVariables } from "./server-variables.ts";

export interface VaultPlace {
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Pick<Settings, "secrets" | "mcpServers">;
  /** Servers of tools that whoever calls brings along. */
  readonly mcpServers?: ServersWritten | undefined;
}

/** Null where it was switched off. */
export async function vaultHere({ home, environment, choices, mcpServers }: VaultPlace): Promise<Vault | null> {
  const { redact, also = [] } = choices.secrets ?? {};
  if (redact === "off") return null;
  const servers = { ...mcpServers, ...choices.mcpServers };
  return new Vault({
    digest: keyedDigest(home),
    environment: { ...(await keptKeys(home)), ...serverVariables(servers), ...environment },
    names: also.flatMap((name) => [name, ...Object.keys(servers).map((server) => `${server}_${name}`)]),
  });
}

/** As if they were variables: a provider that does not like a key may repeat it. */
async function keptKeys(home: string): Promise<Environment> {
  const read = await readKeyFile(keyFile(home));
  // What is wrong with the file is told to whoever needs a key of it.
  const keys = read.type === "read" ? Object.entries(read.keys) : [];
  return Object.fromEntries(keys.map(([provider, key]) => [`${provider.toUpperCase()}_API_KEY`, key]));
}

/** Told at every start. */
export const UNREDACTED = "secrets are sent and kept as they are, because secrets.redact is off";
