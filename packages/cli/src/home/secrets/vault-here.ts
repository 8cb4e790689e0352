/** The vault of this program: with the secrets of its environment, unless the user has switched redaction off. */

import { Vault } from "@pith/context/secrets";
import type { Environment } from "@pith/models";
import type { Settings } from "../settings.ts";
import { keyedDigest } from "./keyed-digest.ts";

export interface VaultPlace {
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Pick<Settings, "secrets">;
}

/** Null where it was switched off. */
export function vaultHere({ home, environment, choices: { secrets = {} } }: VaultPlace): Vault | null {
  if (secrets.redact === "off") return null;
  return new Vault({ digest: keyedDigest(home), environment, names: secrets.also ?? [] });
}

/** Told at every start. */
export const UNREDACTED = "secrets are sent and kept as they are, because secrets.redact is off";
