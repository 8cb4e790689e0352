/** `/thinking` without a level: chosen from the few there are. */

import { levels } from "../../../commands/choosing/thinking.ts";
import { runCommand } from "../../../commands/run-command.ts";
import { choice } from "../../panels/choice.ts";
import { show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";

export async function openThinking(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  const { screen, desk } = talking;
  const now = desk.agent.thinkingLevel;
  const options = levels.map((level) => ({ label: level, ...(level === now && { says: "now" }), value: level }));
  const names: readonly string[] = levels;
  const at = Math.max(0, names.indexOf(now));
  const title = "How long shall the model think before it answers?";
  const level = await screen.ask(choice({ title, options, at }), { where: "inline" });
  if (level === null || level === now) return true;
  const answer = await runCommand(`/thinking ${level}`, desk);
  if (answer) await show(answer, talking);
  return true;
}
