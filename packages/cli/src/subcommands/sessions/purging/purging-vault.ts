/** A vault that knows, beside all that looks like a secret, what somebody pipes in: an argument would stay in the history of the shell. */

import { Vault } from "@pith/context/secrets";
import { type Mistake, mistake } from "../../../asking/mistake.ts";
import { choose } from "../../../home/choose.ts";
import { keyedDigest } from "../../../home/secrets/keyed-digest.ts";
import { piped } from "../../../prompting/piped.ts";
import type { Call } from "../../subcommand.ts";

export type PurgingVault = { readonly type: "vault"; readonly vault: Vault } | Mistake;

/** Also where redaction is switched off: whoever purges wants it. */
export async function purgingVault({ home, environment, flags, note }: Call): Promise<PurgingVault> {
  const chosen = await choose({}, { home, environment });
  if (chosen.type === "mistake") return chosen;
  const arrived = flags.stdin === true ? await piped(note) : ({ type: "arrived", text: "" } as const);
  if (arrived.type === "mistake") return arrived;
  const values = arrived.text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (flags.stdin === true && values.length === 0) return mistake("nothing was piped in; write one secret a line");
  const short = values.find((value) => value.length < LEAST);
  if (short !== undefined)
    return mistake(`line ${values.indexOf(short) + 1} has fewer than ${LEAST} letters: too few to be told from a word`);
  const given = values.map((value, at): [string, string] => [`${GIVEN} ${at + 1}`, value]);
  const names = [...(chosen.choices.secrets?.also ?? []), ...given.map(([name]) => name)];
  const vault = new Vault({
    digest: keyedDigest(home),
    environment: { ...environment, ...Object.fromEntries(given) },
    names,
  });
  return { type: "vault", vault };
}

const LEAST = 6;
/** No variable has a space in its name. */
const GIVEN = "given line";
