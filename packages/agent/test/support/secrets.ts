/** Creates a vault as the `Secrets` port of the agent, and secrets for tests. */

import { createHmac } from "node:crypto";
import { Vault } from "@pith/context/secrets";
import { createSampleSecrets } from "../../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../../context/test/support/seeded-random.ts";
import type { Secrets } from "../../src/index.ts";

export function secretsFor(vault: Vault = testVault()): Secrets {
  return {
    redact: (value) => vault.redact(value),
    restore: async (value) => vault.restore(value),
    stream: () => vault.stream(),
    takeFindings: () => vault.takeFindings(),
    listPlaceholders: (value) => vault.listPlaceholders(value),
  };
}

export function testVault(): Vault {
  return new Vault({ digest: (value) => createHmac("sha256", "a key for tests").update(value).digest("hex") });
}

/** Tokens in the formats of GitHub and GitLab. */
export const [github, , gitlab]: readonly string[] = createSampleSecrets(3, createSeededRandom(1)).map(
  ({ secret }) => secret,
);
