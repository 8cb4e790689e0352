/** What may stand behind a command, where that is a closed set. */

import type { Desk } from "../../../commands/command.ts";
import { commands } from "../../../commands/commands.ts";
import type { Candidate } from "./completion.ts";

export interface WordSources {
  readonly desk: Desk;
  /** Who can be asked from here. */
  readonly models: () => Promise<readonly string[]>;
}

/** Null where anything may. */
export async function argumentWords(name: string, { desk, models }: WordSources): Promise<readonly Candidate[] | null> {
  const command = commands.find((each) => each.name === name || each.aliases?.includes(name));
  switch (command?.name) {
    case undefined:
      return null;
    case "help":
      return commands.map((each) => ({ value: each.name, says: each.says }));
    case "thinking":
      return ["off", "minimal", "low", "medium", "high", "xhigh", "max"].map((value) => ({ value }));
    case "model":
      return (await models()).map((value) => ({ value }));
    case "tree":
      return labelsIn(desk);
    case "unpin":
      return desk.agent.session.window.state.pins.map(({ text }, at) => ({ value: `${at + 1}`, says: text }));
    case "settings":
      return (desk.settings?.() ?? []).map((each) => ({ value: each.name }));
    default:
      return inBrackets(command?.takes ?? "");
  }
}

async function labelsIn({ agent }: Desk): Promise<readonly Candidate[]> {
  const labels = [...(await agent.session.store.labels()).values()];
  return labels.filter((label) => !/\s/.test(label)).map((value) => ({ value, says: "a label" }));
}

/** `[on|off]` names them itself. */
function inBrackets(takes: string): readonly Candidate[] | null {
  const inner = /^[[<]([\w-]+(?:\|[\w-]+)+)[\]>]$/.exec(takes)?.[1];
  return inner?.split("|").map((value) => ({ value })) ?? null;
}
