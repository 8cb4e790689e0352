/** The settings that hold here, with what this call says of the model. */

import { type Mistake, mistake } from "../../asking/mistake.ts";
import { whatIsWrong } from "../../home/settings/what-is-wrong.ts";
import type { Settings } from "../../home/settings.ts";
import { whatHolds } from "../../home/what-holds.ts";
import type { Call } from "../subcommand.ts";

export type SettingsHere = { readonly type: "chosen"; readonly settings: Settings } | Mistake;

export async function settingsHere({ flags: { model }, cwd, home, environment }: Call): Promise<SettingsHere> {
  const fault = model === undefined ? null : whatIsWrong(["model"], model);
  if (fault !== null) return mistake(`--model ${fault}`);
  const choices = typeof model === "string" ? { model } : {};
  const holds = await whatHolds({ choices, trusts: false }, { cwd, home, environment });
  return holds.type === "mistake" ? holds : { type: "chosen", settings: holds.choices };
}
