/** Implements the RPC commands that choose the model, the thinking level and the delivery of queued messages. */

import type { RpcCommands, RpcModel } from "@pith/client";
import { listModelsWithKey, type ModelsWithKeyOptions } from "@pith/host/models/available-models";
import { isAbsentModel } from "@pith/host/models/open-model";
import type { App } from "../../../app/start.ts";
import type { CommandContext } from "../../../commands/command.ts";
import { modelCommand, thinkingLevels } from "../../../commands/settings.ts";
import { nameField, oneOf } from "../parse-command.ts";
import { failure, type Outcome, type RpcCommandDefinitions, success } from "../rpc-context.ts";
import { toRpcModel } from "./state.ts";

const deliveryField = oneOf("all", "one-at-a-time");

export const modelCommands: RpcCommandDefinitions<
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
    description:
      "change the model, starting with the next request; a context that is too long for it is compacted first",
    example: { type: "set_model", provider: "anthropic", modelId: "claude-sonnet-4-5" },
    fields: { provider: nameField, modelId: nameField },
    run: async ({ provider, modelId }, { app }) => {
      return await setModel(`${provider}/${modelId}`, app);
    },
  },
  cycle_model: {
    description: "change to the next model in `get_available_models`; returns null if there is no other",
    example: { type: "cycle_model" },
    fields: {},
    run: async (_, { app }) => {
      const { agent } = app;
      const models = await listModels(app);
      const index = models.findIndex(
        ({ provider, id }) => provider === agent.model.provider && id === agent.model.model,
      );
      const nextModel = models[(index + 1) % Math.max(1, models.length)];
      if (!nextModel || models.length < 2) return success(null);
      const result = await setModel(`${nextModel.provider}/${nextModel.id}`, app);
      return result.type === "failed"
        ? result
        : success({ model: toRpcModel(agent.model), thinkingLevel: agent.thinkingLevel });
    },
  },
  get_available_models: {
    description: "list the models that you have a key for, and the current model",
    example: { type: "get_available_models" },
    fields: {},
    run: async (_, { app }) => success({ models: await listModels(app) }),
  },
  set_thinking_level: {
    description: "change how long the model thinks, starting with the next request",
    example: { type: "set_thinking_level", level: "high" },
    fields: { level: oneOf(...thinkingLevels) },
    run: async ({ level }, { app }) => {
      await app.agent.setThinkingLevel(level);
      return success(null);
    },
  },
  cycle_thinking_level: {
    description: "change to the next thinking level",
    example: { type: "cycle_thinking_level" },
    fields: {},
    run: async (_, { app }) => {
      const { agent } = app;
      const level =
        thinkingLevels[
          (thinkingLevels.findIndex((candidate) => `${candidate}` === agent.thinkingLevel) + 1) % thinkingLevels.length
        ];
      if (level === undefined) return failure("no thinking level is available");
      await agent.setThinkingLevel(level);
      return success({ level });
    },
  },
  get_available_thinking_levels: {
    description: "list the thinking levels, lowest first; a model that does not support a level uses the nearest one",
    example: { type: "get_available_thinking_levels" },
    fields: {},
    run: async () => success({ levels: thinkingLevels }),
  },
  set_steering_mode: {
    description:
      "set, until Pith exits, whether all queued steering messages are delivered before the next request, or only one (default: `all`)",
    example: { type: "set_steering_mode", mode: "all" },
    fields: { mode: deliveryField },
    run: async ({ mode }, { setOptions }) => {
      setOptions({ steeringMode: mode });
      return success(null);
    },
  },
  set_follow_up_mode: {
    description:
      "set, until Pith exits, whether all queued follow-up messages are delivered at once, or one after another (default: `one-at-a-time`)",
    example: { type: "set_follow_up_mode", mode: "one-at-a-time" },
    fields: { mode: deliveryField },
    run: async ({ mode }, { setOptions }) => {
      setOptions({ followUpMode: mode });
      return success(null);
    },
  },
};

async function setModel(name: string, context: CommandContext): Promise<Outcome<RpcModel>> {
  const result = await modelCommand.run(name, context);
  if (result.type === "mistake" || result.type === "failed") return failure(result.message);
  return success(toRpcModel(context.agent.model));
}

/** Lists the models that have a key, and the current model even if it is not in the catalogue. */
async function listModels({
  agent,
  ...options
}: ModelsWithKeyOptions & Pick<App, "agent">): Promise<readonly RpcModel[]> {
  const rows = await listModelsWithKey(options);
  const models = rows.map(({ name, facts }) => {
    const [provider = "", ...rest] = name.split("/");
    return { provider, id: rest.join("/"), contextWindow: facts?.contextWindow ?? 0, maxTokens: facts?.maxTokens ?? 0 };
  });
  const currentModel = toRpcModel(agent.model);
  const isListed = models.some(({ provider, id }) => provider === currentModel.provider && id === currentModel.id);
  return isListed || isAbsentModel(agent.model) ? models : [currentModel, ...models];
}
