/** Asks which of a provider's models shall speak; where only one is known, nobody is asked. */

import type { Stage } from "../../stage.ts";
import { pick } from "../panels/pick.ts";

export interface ModelChoice {
  /** Of the provider, for people. */
  readonly name: string;
  /** The one to take where one does not know. */
  readonly usual: string;
  /** What the key is good for; empty where nobody knows. */
  readonly models: readonly string[];
}

export interface AskedModel {
  readonly model: string;
  /** Also at the next start. */
  readonly isForGood: boolean;
}

export async function askModel(choice: ModelChoice, screen: Stage): Promise<AskedModel | null> {
  const rows = rowsOf(choice);
  const [only] = rows;
  if (only && rows.length === 1) return { model: only.value, isForGood: true };
  const panel = pick({ title: `Which model of ${choice.name}?`, rows, also: { "alt+enter": "only this time" } });
  const picked = await screen.ask(panel, { where: "inline" });
  return picked && { model: picked.value, isForGood: picked.key === "enter" };
}

/** The usual one first, unless the provider says that it does not have it. */
function rowsOf({ usual, models }: ModelChoice) {
  const has = models.length === 0 || models.some((model) => model === usual || model.startsWith(`${usual}-2`));
  const others = models.filter((model) => model !== usual).map((model) => ({ label: model, says: "", value: model }));
  return [
    ...(has && usual !== "" ? [{ label: usual, says: "a good one to begin with", value: usual }] : []),
    ...others,
  ];
}
