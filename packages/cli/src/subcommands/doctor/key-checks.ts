/** The user's settings, and who can be asked. Keys are counted, never shown. */

import { type Provider, providers } from "@pith/models";
import { choose } from "../../home/choose.ts";
import { readKeyFile } from "../../home/key-file.ts";
import { keyFile } from "../../home/keys.ts";
import type { Call } from "../subcommand.ts";
import { type Check, fault, ok, warning } from "./check.ts";

export async function keyChecks(call: Call): Promise<readonly Check[]> {
  return [await settingsCheck(call), await providerCheck(call)];
}

async function settingsCheck({ home, environment }: Call): Promise<Check> {
  const chosen = await choose({}, { home, environment });
  if (chosen.type === "mistake") return fault("settings", chosen.message, "write it as the message says");
  const [note] = chosen.notes;
  if (note !== undefined) return warning("settings", chosen.notes.join("; "), "pith settings shows what holds");
  return ok("settings", chosen.choices.model === undefined ? "no model is set" : `model ${chosen.choices.model}`);
}

async function providerCheck({ home, environment }: Call): Promise<Check> {
  const read = await readKeyFile(keyFile(home));
  if (read.type === "mistake")
    return fault("keys", read.message, "nobody can be asked with a key from there until then");
  const inEnvironment = ({ keys }: Provider): boolean => keys.some((name) => environment[name]?.trim());
  const found = providers.filter((each) => !each.isLocal && (inEnvironment(each) || Object.hasOwn(read.keys, each.id)));
  if (found.length > 0) return ok("keys", `for ${found.map(({ id }) => id).join(", ")}`);
  return warning(
    "keys",
    "there is none",
    `set ANTHROPIC_API_KEY or another, or write one into ${keyFile(home)} (chmod 600)`,
  );
}
