/** Asks who shall speak: a model on this machine, where there is one, or a provider one has a key of. */

import type { Stage } from "../../stage.ts";
import { type House, houses } from "../finding/houses.ts";
import { type LocalModels, localServers } from "../finding/local-servers.ts";
import { type PickRow, pick } from "../panels/pick.ts";
import { whileWaiting } from "../panels/while-waiting.ts";

export type Speaker =
  | { readonly type: "house"; readonly house: House }
  | { readonly type: "local"; readonly provider: string; readonly model: string };

/** Null where that was put off. */
export async function askSpeaker(screen: Stage): Promise<Speaker | null> {
  for (;;) {
    const found = await whileWaiting("Looking for models on this machine", screen, () => localServers());
    const picked = await screen.ask(pick({ title: "Who shall speak?", rows: rowsOf(found ?? []) }), {
      where: "inline",
    });
    if (picked === null) return null;
    if (picked.value !== "again") return picked.value;
  }
}

/** What needs no key comes first. */
export function rowsOf(found: readonly LocalModels[]): readonly PickRow<Speaker | "again">[] {
  const local = found.flatMap(({ provider, models }) =>
    models.map((model) => ({
      label: model,
      says: `${provider} on this machine, no key needed`,
      value: { type: "local", provider, model } as const,
    })),
  );
  const distant = houses().map((house) => ({
    label: house.name,
    says: "you give a key",
    value: { type: "house", house } as const,
  }));
  const again = { label: "Look again", says: "when you have started Ollama, LM Studio, llama.cpp or vLLM" };
  return [...local, ...distant, { ...again, value: "again" as const }];
}
