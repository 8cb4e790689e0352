/** Who could speak, and who shall: as `/model` does it. */

import { model as command } from "../../commands/choosing/model.ts";
import { modelsWithKey } from "../../screen/acting/choosing/models-here.ts";
import type { RpcModel } from "../line/rpc-data.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";
import { modelOf } from "./state-of.ts";

export async function setModel(name: string, { desk, ready }: Seat): Promise<Outcome<RpcModel>> {
  const answer = await command.run(name, desk);
  if (answer.type === "mistake" || answer.type === "failed") return failed(answer.message);
  return done(modelOf(ready.built.agent.model));
}

/** Those with a key, and who speaks now, though no list may name it. */
export async function modelsFor({ ready }: Seat): Promise<readonly RpcModel[]> {
  const { agent } = ready.built;
  const rows = await modelsWithKey(ready.place);
  const models = rows.map(({ name, facts }) => {
    const [provider = "", ...rest] = name.split("/");
    return { provider, id: rest.join("/"), contextWindow: facts?.contextWindow ?? 0, maxTokens: facts?.maxTokens ?? 0 };
  });
  const now = modelOf(agent.model);
  const isListed = models.some(({ provider, id }) => provider === now.provider && id === now.id);
  return isListed || agent.model.api === "none" ? models : [now, ...models];
}
