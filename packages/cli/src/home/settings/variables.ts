/** What the variables of a shell say of settings. */

import type { Environment } from "@pith/models";
import { type Mistake, mistake } from "../../asking/mistake.ts";
import type { Field } from "./field.ts";
import { yesOrNo } from "./known/kind.ts";
import type { Setting } from "./known/setting.ts";
import { settingTable } from "./known/table.ts";
import { shown, whatIsWrong } from "./what-is-wrong.ts";

export type VariablesRead = { readonly type: "read"; readonly fields: readonly Field[] } | Mistake;

/** An empty one says nothing. */
export function variablesIn(environment: Environment): VariablesRead {
  const set = settingTable.flatMap(({ variable, ...setting }) => {
    const text = variable === undefined ? undefined : environment[variable]?.trim();
    return variable === undefined || !text ? [] : [said(setting, { variable, text })];
  });
  const wrong = set.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (wrong.length > 0) return mistake(wrong.join("\n"));
  return { type: "read", fields: set.flatMap(({ field }) => (field ? [field] : [])) };
}

interface Said {
  readonly field: Field | null;
  readonly fault: string | null;
}

interface Variable {
  readonly variable: string;
  readonly text: string;
}

function said({ name, kind }: Setting, { variable, text }: Variable): Said {
  if (kind === yesOrNo) return switchedOff(name, { variable, text });
  const path = name.split(".");
  const fault = whatIsWrong(path, text);
  if (fault !== null) return { field: null, fault: `${variable} ${fault}` };
  return { field: { path, value: text, from: variable }, fault: null };
}

/** A variable that can be there or not can only switch something off. */
function switchedOff(name: string, { variable, text }: Variable): Said {
  if (YES.test(text)) return { field: { path: name.split("."), value: false, from: variable }, fault: null };
  return { field: null, fault: NO.test(text) ? null : `${variable} is ${shown(text)}; write 1, or leave it out` };
}

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;
