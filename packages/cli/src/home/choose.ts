/** What holds for this call: flag before variable before setting. */

import type { Environment } from "@pith/models";
import { type Mistake, mistake } from "../asking/mistake.ts";
import { readSettings } from "./read-settings.ts";
import type { Choices, Settings } from "./settings.ts";
import { whatIsWrong } from "./settings-field.ts";

export type Chosen =
  | { readonly type: "chosen"; readonly choices: Settings; readonly notes: readonly string[] }
  | Mistake;

export interface ChoicePlaces {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
}

export async function choose(flags: Choices, { environment, home }: ChoicePlaces): Promise<Chosen> {
  const read = await readSettings(home);
  if (read.type === "mistake") return read;
  const set = setIn(environment);
  const wrong = set.flatMap(({ variable, name, value }) => {
    const fault = whatIsWrong(name, value);
    return fault === null ? [] : [`${variable} ${fault}`];
  });
  if (wrong.length > 0) return mistake(wrong.join("\n"));
  const spoken: Choices = { ...Object.fromEntries(set.map(({ name, value }) => [name, value])), ...flags };
  return { type: "chosen", choices: { ...besides(spoken, read.settings), ...spoken }, notes: read.notes };
}

const variables = [
  ["PITH_MODEL", "model"],
  ["PITH_THINKING", "thinking"],
  ["PITH_MODE", "mode"],
  ["PITH_SANDBOX", "sandbox"],
  ["PITH_NETWORK", "network"],
] as const;

interface SetVariable {
  readonly variable: string;
  readonly name: keyof Choices;
  readonly value: string;
}

function setIn(environment: Environment): readonly SetVariable[] {
  return variables.flatMap(([variable, name]) => {
    const value = environment[variable]?.trim();
    return value ? [{ variable, name, value }] : [];
  });
}

/** An address belongs to the model that is set beside it: the key of another must not be sent there. */
function besides({ model }: Choices, { baseUrl, ...settings }: Settings): Settings {
  return { ...settings, ...(model === undefined && baseUrl !== undefined && { baseUrl }) };
}
