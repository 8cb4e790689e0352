/** `/model` without a name, and its key: who shall speak is chosen from a list. */

import { runCommand } from "../../../commands/run-command.ts";
import { saveSetting } from "../../../home/save-setting.ts";
import { modelPanel } from "../../panels/choosing/model-panel.ts";
import { joined, type ModelRow } from "../../panels/choosing/model-rows.ts";
import { show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";
import { modelsHere, modelsWithKey } from "./models-here.ts";

export async function openModels(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { ready, screen, desk } = talking;
  const { provider, model, contextWindow, maxTokens } = desk.agent.model;
  const speaking = `${provider}/${model}`;
  const rows = await modelsWithKey(ready.place);
  const facts = { contextWindow, maxTokens, input: ["text"], reasoning: false } as const;
  const own: ModelRow = { name: speaking, facts: contextWindow > 0 ? facts : null, isLocal: false };
  const known = ready.built.missing === null ? joined(rows, [own]) : rows;
  const chosen = await screen.ask(modelPanel({ rows: known, speaking, more: modelsHere }), { where: "inline" });
  if (chosen === null) return true;
  const isTaken = chosen.name === speaking || (await taken(chosen.name, talking));
  if (chosen.isForGood && isTaken) await keep(chosen.name, talking);
  return true;
}

async function taken(name: string, talking: Talking): Promise<boolean> {
  const answer = await runCommand(`/model ${name}`, talking.desk);
  if (answer) await show(answer, talking);
  return answer?.type === "told";
}

/** For sessions that begin later. */
async function keep(name: string, { ready, screen }: Talking): Promise<void> {
  const fault = await saveSetting({ path: ["model"], value: name, home: ready.place.home });
  screen.tell(
    fault === null ? `${name} is kept for sessions to come` : fault.message,
    fault === null ? "plain" : "bad",
  );
}
