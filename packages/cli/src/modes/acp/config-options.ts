/** Describes the permission mode, the model and the thinking level as options of an editor, and sets them. */

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { PermissionMode } from "@pith/agent";
import { listModelsWithKey, type ModelsWithKeyOptions } from "@pith/host/models/available-models";
import { isAbsentModel } from "@pith/host/models/open-model";
import { listPermittedModes, type Policy } from "@pith/host/policy/policy";
import type { CommandContext } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { permissionModes, thinkingLevels } from "../../commands/settings.ts";
import { invalidParams } from "./acp-context.ts";

export function createModeState(current: PermissionMode, policy: Policy | undefined): SessionModeState {
  return {
    currentModeId: current,
    availableModes: describePermittedModes(policy).map(({ name, description }) => ({
      id: name,
      name: formatModeName(name),
      description,
    })),
  };
}

function describePermittedModes(policy: Policy | undefined): typeof permissionModes {
  return permissionModes.filter(({ name }) => listPermittedModes(policy).includes(name));
}

function formatModeName(name: PermissionMode): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

export async function buildConfigOptions(
  { agent, permissionMode }: Pick<CommandContext, "agent" | "permissionMode">,
  options: ModelsWithKeyOptions,
): Promise<SessionConfigOption[]> {
  const { provider, model } = agent.model;
  const currentModel = isAbsentModel(agent.model) ? "" : `${provider}/${model}`;
  const names = new Set((await listModelsWithKey(options)).map(({ name }) => name));
  if (currentModel !== "") names.add(currentModel);
  return [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      type: "select",
      description: "What Pith may do without asking",
      currentValue: permissionMode?.get() ?? "",
      options: describePermittedModes(options.settings.policy).map(({ name, description }) => ({
        value: name,
        name: formatModeName(name),
        description,
      })),
    },
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: currentModel,
      options: [...names].map((name) => ({ value: name, name })),
    },
    {
      id: "thinking",
      name: "Thinking",
      category: "thought_level",
      type: "select",
      description: "How long the model thinks before it answers",
      currentValue: agent.thinkingLevel,
      options: thinkingLevels.map((level) => ({ value: level, name: level })),
    },
  ];
}

/** Throws a protocol error if the value cannot be set. */
export async function setOption(id: string, value: unknown, context: CommandContext): Promise<void> {
  if (typeof value !== "string") throw invalidParams(`the value of "${id}" must be a string, one of its options`);
  switch (id) {
    case "mode":
      return setMode(value, context);
    case "model":
    case "thinking": {
      const result = await runCommand(`/${id} ${value}`, context);
      if (result?.type === "mistake" || result?.type === "failed") throw invalidParams(result.message);
      return;
    }
    default:
      throw invalidParams(`unknown option "${id}"; the options are mode, model and thinking`);
  }
}

export function setMode(id: string, { permissionMode }: Pick<CommandContext, "permissionMode">): void {
  const newMode = permissionModes.find(({ name }) => name === id)?.name ?? null;
  if (newMode === null)
    throw invalidParams(`unknown mode "${id}"; the modes are ${permissionModes.map(({ name }) => name).join(", ")}`);
  const refusal = permissionMode?.set(newMode) ?? null;
  if (refusal !== null) throw invalidParams(refusal);
}
