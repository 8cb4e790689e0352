/** Implements the RPC commands that choose the model, the thinking level and the delivery of queued messages. */

import type { RpcCommands, RpcModel } from "@pith/client";
import { model as command, levels } from "../../../commands/settings.ts";
import { modelsWithKey } from "../../../models/available-models.ts";
import { name, oneOf } from "../parse-command.ts";
import { done, failed, type Outcome, type Rows, type Seat } from "../rpc-context.ts";
import { modelOf } from "./state.ts";

const delivery = oneOf("all", "one-at-a-time");

export const choosing: Rows<
  keyof Pick<
    RpcCommands,
    | "set_model"
    | "cycle_model"
    | "get_available_models"
    | "set_thinking_level"
    | "cycle_thinking_level"
    | "get_available_thinking_levels"
    | "set_steering_mode"
    | "set_follow_up_mode"
  >
> = {
  set_model: {
    says: "another model speaks from the next request on; what is too much for it is compacted first",
    example: { type: "set_model", provider: "anthropic", modelId: "claude-sonnet-4-5" },
    fields: { provider: name, modelId: name },
    run: async ({ provider, modelId }, seat) => {
      return await setModel(`${provider}/${modelId}`, seat);
    },
  },
  cycle_model: {
    says: "the next of `get_available_models` speaks; null where there is no other",
    example: { type: "cycle_model" },
    fields: {},
    run: async (_, seat) => {
      const { agent } = seat.ready.built;
      const models = await modelsFor(seat);
      const at = models.findIndex(({ provider, id }) => provider === agent.model.provider && id === agent.model.model);
      const next = models[(at + 1) % Math.max(1, models.length)];
      if (!next || models.length < 2) return done(null);
      const set = await setModel(`${next.provider}/${next.id}`, seat);
      return set.type === "failed" ? set : done({ model: modelOf(agent.model), thinkingLevel: agent.thinkingLevel });
    },
  },
  get_available_models: {
    says: "the models for which there is a key; who speaks now is among them",
    example: { type: "get_available_models" },
    fields: {},
    run: async (_, seat) => {
      return done({ models: await modelsFor(seat) });
    },
  },
  set_thinking_level: {
    says: "how long the model thinks, from the next request on",
    example: { type: "set_thinking_level", level: "high" },
    fields: { level: oneOf(...levels) },
    run: async ({ level }, { ready }) => {
      await ready.built.agent.setThinkingLevel(level);
      return done(null);
    },
  },
  cycle_thinking_level: {
    says: "the next level",
    example: { type: "cycle_thinking_level" },
    fields: {},
    run: async (_, { ready }) => {
      const { agent } = ready.built;
      const level = levels[(levels.findIndex((each) => `${each}` === agent.thinkingLevel) + 1) % levels.length];
      if (level === undefined) return failed("there are no levels");
      await agent.setThinkingLevel(level);
      return done({ level });
    },
  },
  get_available_thinking_levels: {
    says: "the levels, the least first; a model that does not know one takes the nearest",
    example: { type: "get_available_thinking_levels" },
    fields: {},
    run: async () => done({ levels }),
  },
  set_steering_mode: {
    says: "whether all that steers is said before the next request, or one of it, until the program ends (`all` unless set)",
    example: { type: "set_steering_mode", mode: "all" },
    fields: { mode: delivery },
    run: async ({ mode }, { choose }) => {
      choose({ steering: mode });
      return done(null);
    },
  },
  set_follow_up_mode: {
    says: "whether all that follows is said at once, or one after the other, until the program ends (`one-at-a-time` unless set)",
    example: { type: "set_follow_up_mode", mode: "one-at-a-time" },
    fields: { mode: delivery },
    run: async ({ mode }, { choose }) => {
      choose({ followUp: mode });
      return done(null);
    },
  },
};

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
