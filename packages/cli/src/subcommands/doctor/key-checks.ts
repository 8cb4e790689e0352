/** The user's settings, and who can be asked. Keys are counted, never shown. */

import { type Provider, providers } from "@pith/models";
import { choose } from "../../home/choose.ts";
import { readKeyFile } from "../../home/key-file.ts";
import { keyFile } from "../../home/keys.ts";
import { counted } from "../../printing/amounts.ts";
import type { Call } from "../subcommand.ts";
import { type Check, fault, ok, warning } from "./check.ts";

export async function keyChecks(call: Call): Promise<readonly Check[]> {
  return [await settingsCheck(call), await providerCheck(call)];
}

async function settingsCheck({ home, environment }: Call): Promise<Check> {
  const chosen = await choose({}, { home, environment });
  if (chosen.type === "mistake") return fault("settings", chosen.message, "mend that; nothing is started until then");
  const [note] = chosen.notes;
  if (note !== undefined) return warning("settings", chosen.notes.join("; "), "pith settings shows what holds");
  return ok("settings", chosen.choices.model === undefined ? "no model is set" : `model ${chosen.choices.model}`);
}

async function providerCheck({ home, environment }: Call): Promise<Check> {
  const read = await readKeyFile(keyFile(home));
  if (read.type === "mistake") return fault("keys", read.message, "mend that; until then no key is taken from there");
  const inEnvironment = ({ keys }: Provider): boolean => keys.some((name) => environment[name]?.trim());
  const found = providers.filter((each) => !each.isLocal && (inEnvironment(each) || Object.hasOwn(read.keys, each.id)));
  const strange = Object.keys(read.keys).filter((name) => !providers.some(({ id }) => id === name)).length;
  // Never by its name: whoever mixed up the two sides of the colon has a key for one.
  if (strange > 0) return warning("keys", strangeTold(strange, home), `the names are ${ids()}`);
  if (found.length > 0) return ok("keys", `for ${found.map(({ id }) => id).join(", ")}`);
  return warning(
    "keys",
    "there is none",
    `set ANTHROPIC_API_KEY or another, or write one into ${keyFile(home)} (chmod 600)`,
  );
}

function strangeTold(count: number, home: string): string {
  const stand = count === 1 ? "stands under a name that is" : "stand under names that are";
  return `${counted(count, "key")} of ${keyFile(home)} ${stand} no provider's`;
}

function ids(): string {
  return providers
    .filter(({ isLocal }) => !isLocal)
    .map(({ id }) => id)
    .join(", ");
}
