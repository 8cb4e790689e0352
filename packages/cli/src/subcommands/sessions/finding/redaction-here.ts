/** What keeps secrets out of all that is shown or written elsewhere; also of sessions that another program has written. */

import type { Redaction } from "@pith/context";
import { choose } from "../../../home/choose.ts";
import { vaultHere } from "../../../home/secrets/vault-here.ts";
import type { Call } from "../../subcommand.ts";

export async function redactionHere({ home, environment }: Pick<Call, "home" | "environment">): Promise<Redaction> {
  const chosen = await choose({}, { home, environment });
  // Settings with a mistake in them are no reason to show a secret, nor to show nothing.
  const choices = chosen.type === "chosen" ? chosen.choices : {};
  const vault = await vaultHere({ home, environment, choices });
  return { redacted: (value) => vault?.redacted(value) ?? value };
}
