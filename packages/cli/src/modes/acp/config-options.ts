/** Offers the permission mode, the model and the thinking level to an editor, and sets them. */

import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { PermissionMode } from "@pith/agent";
import type { Desk } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { levels, modes } from "../../commands/settings.ts";
import { type ModelPlaces, modelsWithKey } from "../../models/available-models.ts";
import { type Policy, permittedModes } from "../../policy/policy.ts";
import { wrongly } from "./acp-context.ts";

export function modeState(now: PermissionMode, policy: Policy | undefined): SessionModeState {
  return {
    currentModeId: now,
    availableModes: offeredModes(policy).map(({ name, says }) => ({
      id: name,
      name: modeName(name),
      description: says,
    })),
  };
}

function offeredModes(policy: Policy | undefined): typeof modes {
  return modes.filter(({ name }) => permittedModes(policy).includes(name));
}

export function modeName(name: PermissionMode): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

export function modeCalled(id: string): PermissionMode | null {
  return modes.find(({ name }) => name === id)?.name ?? null;
}

export async function configOptions(
  { agent, mode }: Pick<Desk, "agent" | "mode">,
  place: ModelPlaces,
): Promise<SessionConfigOption[]> {
  const { provider, model, api } = agent.model;
  const speaking = api === ABSENT ? "" : `${provider}/${model}`;
  const names = new Set((await modelsWithKey(place)).map(({ name }) => name));
  if (speaking !== "") names.add(speaking);
  return [
    {
      ...{ id: "mode", name: "Mode", category: "mode", type: "select" },
      description: "What may be done without a question",
      currentValue: mode?.now() ?? "",
      options: offeredModes(place.choices.policy).map(({ name, says }) => ({
        value: name,
        name: modeName(name),
        description: says,
      })),
    },
    {
      ...{ id: "model", name: "Model", category: "model", type: "select" },
      currentValue: speaking,
      options: [...names].map((name) => ({ value: name, name })),
    },
    {
      ...{ id: "thinking", name: "Thinking", category: "thought_level", type: "select" },
      description: "How long the model thinks before it answers",
      currentValue: agent.thinkingLevel,
      options: levels.map((level) => ({ value: level, name: level })),
    },
  ];
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

/** Throws what the editor is answered where it cannot be set. */
export async function setOption(id: string, value: unknown, desk: Desk): Promise<void> {
  if (typeof value !== "string") throw wrongly(`"${id}" takes a text, one of its options`);
  switch (id) {
    case "mode":
      return setMode(value, desk);
    case "model":
    case "thinking": {
      const answer = await runCommand(`/${id} ${value}`, desk);
      if (answer?.type === "mistake" || answer?.type === "failed") throw wrongly(answer.message);
      return;
    }
    default:
      throw wrongly(`there is no option "${id}"; there are mode, model and thinking`);
  }
}

export function setMode(id: string, { mode }: Pick<Desk, "mode">): void {
  const wanted = modeCalled(id);
  if (wanted === null) throw wrongly(`there is no mode "${id}"; there are ${modes.map(({ name }) => name).join(", ")}`);
  const refusal = mode?.set(wanted) ?? null;
  if (refusal !== null) throw wrongly(refusal);
}
