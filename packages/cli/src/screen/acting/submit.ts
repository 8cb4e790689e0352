/** What a line that was typed does: a command opens its panel or is run, and everything else is said. */

import { runCommand } from "../../commands/run-command.ts";
import { openers } from "./openers.ts";
import { say } from "./say.ts";
import { show } from "./show-answer.ts";
import type { Talking } from "./talking.ts";

export async function submit(text: string, talking: Talking): Promise<void> {
  if (await opened(text, talking)) return;
  const answer = text.startsWith("/") ? await runCommand(text, talking.desk) : null;
  if (answer) return await show(answer, talking);
  await say(text, talking);
}

async function opened(text: string, talking: Talking): Promise<boolean> {
  const [, name = "", words = ""] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const opener = Object.hasOwn(openers, name) ? await openers[name]?.() : undefined;
  return (await opener?.(words.trim(), talking)) ?? false;
}
