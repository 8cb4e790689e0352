/** Which model speaks: the one that was asked for, or the first for which there is a key. */

import { type OpenedModel, openModel, providers } from "@pith/models";
import type { Wish } from "./wish.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export async function chooseModel({ model, baseUrl }: Wish, environment: Environment): Promise<OpenedModel> {
  const wanted = model ?? environment.PITH_MODEL ?? byKey(environment);
  if (wanted === undefined)
    return {
      type: "no-key",
      message: "no model: set a key such as ANTHROPIC_API_KEY, or name one with --model provider/model",
    };
  const [provider = "", ...name] = wanted.split("/");
  if (name.length === 0)
    return {
      type: "incomplete",
      message: `--model takes provider/model, e.g. anthropic/claude-sonnet-4-5, not "${wanted}"`,
    };
  return openModel({ provider, model: name.join("/"), ...(baseUrl !== undefined && { baseUrl }) }, { environment });
}

/** What each house would be asked for, where nothing is said. */
const usual: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-5.1",
  google: "gemini-2.5-pro",
};

function byKey(environment: Environment): string | undefined {
  const house = providers.find(
    ({ id, keys }) => usual[id] !== undefined && keys.some((key) => environment[key]?.trim()),
  );
  return house && `${house.id}/${usual[house.id]}`;
}
