/** Opens other models than the one that speaks first, as the same settings say. The address in them belongs to one seller: no key of another is sent there. */

import { type Environment, providers } from "@pith/models";
import type { Settings } from "../home/settings.ts";
import { type ChosenModel, chooseModel } from "./choose-model.ts";

export interface BesidePlace {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  readonly choices: Settings;
  readonly sessionId: string;
  /** The provider of who speaks first: the address is for it, where the settings name no model. */
  readonly provider: string;
}

/** By `provider/model`. */
export type OpenBeside = (name: string) => Promise<ChosenModel>;

export function openingBeside({ choices, provider, ...place }: BesidePlace): OpenBeside {
  const { model, baseUrl, contextWindow } = choices;
  // Whoever spoke in the session before need not be who the address is for.
  const owner = sellerOf(model ?? provider);
  return (name) => {
    const wish = {
      model: name,
      ...(baseUrl !== undefined && sellerOf(name) === owner && { baseUrl }),
      ...(contextWindow !== undefined && { contextWindow }),
    };
    return chooseModel(wish, place);
  };
}

/** One that has two names is one. */
export function sellerOf(name: string): string {
  const [id = ""] = name.split("/");
  return providers.find((provider) => provider.id === id)?.seller ?? id;
}
