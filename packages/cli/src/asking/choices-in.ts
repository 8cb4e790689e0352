/** The flags that settings could say, too, held to the same rules. */

import { whatIsWrong } from "../home/settings/what-is-wrong.ts";
import type { Choices } from "../home/settings.ts";
import { type Mistake, mistake } from "./mistake.ts";

export interface ChoiceFlags {
  readonly model?: string;
  readonly "base-url"?: string;
  readonly thinking?: string;
  readonly "permission-mode"?: string;
  readonly "no-auto-compact"?: boolean;
  readonly "no-context-files"?: boolean;
  readonly "no-skills"?: boolean;
  readonly "no-extensions"?: boolean;
  readonly plain?: boolean;
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
    const fault = whatIsWrong([name], value);
    if (fault !== null) return mistake(`--${flag} ${fault}`);
  }
  const said = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  return { type: "read", choices: { ...said, ...switched(values) } };
}

function switched(values: ChoiceFlags): Choices {
  return {
    ...(values["no-auto-compact"] && { compaction: { enabled: false } }),
    ...(values["no-context-files"] && { contextFiles: false }),
    ...(values["no-skills"] && { skills: false }),
    ...(values["no-extensions"] && { extensions: false }),
    ...(values.plain && { plain: true }),
  };
}

type Saying = Exclude<keyof ChoiceFlags, `no-${string}` | "plain">;

const named: readonly (readonly [flag: Saying, name: keyof Choices])[] = [
  ["model", "model"],
  ["base-url", "baseUrl"],
  ["thinking", "thinking"],
  ["permission-mode", "permissionMode"],
  ["sandbox", "sandbox"],
  ["network", "network"],
  ["tools", "tools"],
];
