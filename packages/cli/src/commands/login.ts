/** Implements `/login` and `/logout` for modes in which no secret can be entered. Interactive mode asks for the key in a panel. */

import { isAbsentModel } from "@pith/host/models/open-model";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { findProviderOption, type ProviderOption } from "../models/check-key.ts";
import {
  describeKeySource,
  describeLogout,
  listSavedProviders,
  removeProviderKey,
  reopenModel,
  resolveProviderOption,
} from "../models/login.ts";
import { type Command, type CommandContext, type CommandResult, failure, success } from "./command.ts";

export const loginCommand: Command = {
  name: "login",
  argumentHint: "[provider]",
  description: "enter, replace and test a provider's API key; this session uses it at once",
  examples: ["/login", "/login openrouter"],
  async run(args, context) {
    const resolved = resolveOption(args, context);
    if (resolved.type === "mistake") return resolved;
    const { provider, name } = resolved.option;
    const source = await describeKeySource(provider, context);
    const howToEnter = `run pith login ${provider.id} in a terminal, then /login ${provider.id} here`;
    if (source === null) return usageError(`there is no API key for ${name}; to enter one, ${howToEnter}`);
    return await useCurrentKey(resolved.option, `the API key ${source}. To enter another one, ${howToEnter}.`, context);
  },
};

/** Opens the session's model again with the key that is saved now. */
export async function useCurrentKey(
  { provider, name }: ProviderOption,
  keyText: string,
  context: CommandContext,
): Promise<CommandResult> {
  const result = await reopenModel(provider, context);
  switch (result.type) {
    case "failed":
      return failure(result.message);
    case "opened":
      return success(`${result.model} now uses ${keyText}`, { provider: provider.id, model: result.model });
    case "other-provider":
      return success(`${name}: Pith will use ${keyText} Choose a model from ${name} with /model.`, {
        provider: provider.id,
        model: null,
      });
  }
}

/** Without a name, the provider of the session's model. */
function resolveOption(
  name: string,
  { agent, settings }: Pick<CommandContext, "agent" | "settings">,
): ReturnType<typeof resolveProviderOption> {
  if (name !== "") return resolveProviderOption(name);
  const modelName = isAbsentModel(agent.model) ? (settings.model ?? "") : agent.model.provider;
  const option = findProviderOption(modelName.split("/")[0] ?? "");
  return option ? { type: "found", option } : usageError("name the provider, as in /login anthropic");
}

export const logoutCommand: Command = {
  name: "logout",
  argumentHint: "[provider]",
  description: "remove a provider's saved API key",
  examples: ["/logout", "/logout openrouter"],
  async run(args, context) {
    const resolved = await resolveLogout(args, context.home, "/logout");
    if (resolved.type === "mistake") return resolved;
    const { option } = resolved;
    const result = await removeProviderKey(option.provider, context.home);
    if (result.type === "mistake") return result;
    const wasRemoved = result.type === "removed";
    const isInUse = wasRemoved && context.agent.model.provider === (option.provider.canonicalId ?? option.provider.id);
    const notice = isInUse ? " This session keeps using it until it ends." : "";
    return success(`${describeLogout(option, wasRemoved, context)}${notice}`, {
      provider: option.provider.id,
      wasRemoved,
    });
  },
};

/** Without a name, the only provider with a saved key. `command` is named in the error if there are several. */
export async function resolveLogout(
  name: string,
  home: string,
  command: string,
): Promise<{ readonly type: "found"; readonly option: ProviderOption } | UsageError> {
  if (name !== "") return resolveProviderOption(name);
  const saved = await listSavedProviders(home);
  if (saved.type === "mistake") return saved;
  const [option] = saved.options;
  if (option === undefined) return usageError("no API key is saved");
  if (saved.options.length === 1) return { type: "found", option };
  const ids = saved.options.map(({ provider }) => provider.id);
  return usageError(`keys for several providers are saved: ${ids.join(", ")}; name one, as in ${command} ${ids[0]}`);
}
