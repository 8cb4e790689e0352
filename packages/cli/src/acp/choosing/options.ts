/** What an editor lets the user choose besides words: the mode, the model, and how long it thinks. */

import type { SessionConfigOption } from "@agentclientprotocol/sdk/unstable";
import { modes } from "../../commands/choosing/mode.ts";
import { levels } from "../../commands/choosing/thinking.ts";
import type { Desk } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import type { KeyPlaces } from "../../home/keys.ts";
import { modelsWithKey } from "../../screen/acting/choosing/models-here.ts";
import { wrongly } from "../refusals.ts";
import { modeCalled, modeName } from "./mode-state.ts";

export async function configOptions(
  { agent, mode }: Pick<Desk, "agent" | "mode">,
  place: KeyPlaces,
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
      options: modes.map(({ name, says }) => ({ value: name, name: modeName(name), description: says })),
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
  mode?.set(wanted);
}
