/** The window of a session and how much is too much in it, without asking anybody and without a key. */

import { type Budget, budgetFor, Session, type Window } from "@pith/context";
import { machine } from "@pith/context/node";
import { catalogue, type Prices, providers } from "@pith/models";
import { type Mistake, mistake } from "../../asking/mistake.ts";
import { limitsOf } from "../../home/limits.ts";
import type { Settings } from "../../home/settings.ts";
import { type Failed, withRead } from "../sessions/finding/reading.ts";
import { wordFor } from "../sessions/finding/word-for.ts";
import type { Call } from "../subcommand.ts";
import { settingsHere } from "./settings-here.ts";

export interface WindowRead {
  readonly type: "read";
  readonly id: string;
  /** What to type to mean it. */
  readonly word: string;
  readonly window: Window;
  readonly budget: Budget;
  /** As `provider/model`. */
  readonly model: string;
  /** Undefined where nobody knows them. */
  readonly prices: Prices | undefined;
}

export async function windowRead(call: Call): Promise<WindowRead | Mistake | Failed> {
  const chosen = await settingsHere(call);
  if (chosen.type === "mistake") return chosen;
  return await withRead(call.arguments[0] ?? "", call, async (store): Promise<WindowRead | Mistake> => {
    const session = await Session.open(store, machine);
    await session.settle();
    const { window } = session;
    const spoke = window.state.model && `${window.state.model.provider}/${window.state.model.modelId}`;
    const model = chosen.settings.model ?? spoke;
    if (!model) return mistake("nobody has spoken in this session yet; say for whom with --model provider/model");
    const { id } = store.header;
    const word = wordFor({ id, path: store.path }, call.home);
    return { type: "read", id, word, window, model, ...measured(model, chosen.settings) };
  });
}

function measured(name: string, { compaction, contextWindow }: Settings): Pick<WindowRead, "budget" | "prices"> {
  const [id = "", ...rest] = name.split("/");
  const provider = providers.find((each) => each.id === id);
  const seller = provider?.seller ?? id;
  const model = rest.join("/");
  const { facts } = catalogue().facts(seller, model, { local: provider?.isLocal === true });
  const to = { api: provider?.api ?? "", provider: seller, model };
  const seen = Math.min(contextWindow ?? Number.POSITIVE_INFINITY, facts.contextWindow);
  return { budget: budgetFor(limitsOf(compaction)(to), { contextWindow: seen, to }), prices: facts.prices };
}
