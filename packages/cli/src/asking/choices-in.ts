/** The flags that settings could say, too, held to the same rules. */

import type { Choices } from "../home/settings.ts";
import { whatIsWrong } from "../home/settings-field.ts";
import { type Mistake, mistake } from "./mistake.ts";

export interface ChoiceFlags {
  readonly model?: string;
  readonly "base-url"?: string;
  readonly thinking?: string;
  readonly mode?: string;
  readonly sandbox?: string;
  readonly network?: string;
  /** With commas between them. */
  readonly tools?: string;
}

export type ChoicesRead = { readonly type: "read"; readonly choices: Choices } | Mistake;

export function choicesIn(values: ChoiceFlags): ChoicesRead {
  const given = named.flatMap(([flag, name]) => {
    const value = flag === "tools" ? values.tools?.split(",").map((tool) => tool.trim()) : values[flag];
    return value === undefined ? [] : [{ flag, name, value }];
  });
  for (const { flag, name, value } of given) {
    const fault = whatIsWrong(name, value);
    if (fault !== null) return mistake(`--${flag} ${fault}`);
  }
  return { type: "read", choices: Object.fromEntries(given.map(({ name, value }) => [name, value])) };
}

const named: readonly (readonly [flag: keyof ChoiceFlags, name: keyof Choices])[] = [
  ["model", "model"],
  ["base-url", "baseUrl"],
  ["thinking", "thinking"],
  ["mode", "mode"],
  ["sandbox", "sandbox"],
  ["network", "network"],
  ["tools", "tools"],
];
