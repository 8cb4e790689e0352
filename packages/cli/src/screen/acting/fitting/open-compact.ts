/** `/compact` on a screen: alone it shows first what would become of it; with words it is done at once. */

import { previewCompaction } from "@pith/context";
import { catalogue } from "@pith/models";
import { compactionTold } from "../../../commands/fitting/compaction-told.ts";
import { preview } from "../../panels/fitting/preview.ts";
import { show } from "../show-answer.ts";
import type { Opener, Talking } from "../talking.ts";
import { previewFacts, type Teller } from "./preview-facts.ts";

export const openCompact: Opener = async (words, talking) => {
  const isPreviewed = words === "" || PREVIEW.test(words);
  if (!isPreviewed && words.startsWith("--")) return false;
  if (!isPreviewed) return await compacted(words, talking);
  const { agent } = talking.ready.built;
  await agent.session.settle();
  const planned = previewCompaction(agent.session.window, agent.budget);
  // Why there is nothing to do is told as anywhere.
  if (planned.type !== "planned") return false;
  const panel = preview(previewFacts(planned, tellerOf(talking)), words.replace(PREVIEW, " ").trim());
  const focus = await talking.screen.ask(panel, { where: "inline" });
  return focus === null ? true : await compacted(focus, talking);
};

const PREVIEW = /(?:^|\s)--preview(?=\s|$)/;

/** Its receipt, or why it broke off, stands in the transcript by itself; only what came of nothing is told here. */
async function compacted(focus: string, talking: Talking): Promise<true> {
  const { agent } = talking.ready.built;
  if (agent.isRunning) talking.screen.tell("It is compacted as soon as the request under way has its answer.");
  const outcome = await agent.compact(focus === "" ? undefined : focus);
  if (TOLD_HERE.has(outcome.type)) await show(compactionTold(outcome), talking);
  return true;
}

const TOLD_HERE: ReadonlySet<string> = new Set(["nothing-to-do", "postponed", "cancelled"]);

function tellerOf({ ready: { built, place } }: Talking): Teller {
  const { provider, model } = built.agent.model;
  const [named] = [place.choices.compaction?.model ?? []].flat();
  const speaking = `${provider}/${model}`;
  const by = named ?? speaking;
  const at = by.indexOf("/");
  const { prices } = catalogue().facts(by.slice(0, at), by.slice(at + 1)).facts;
  return { by, isSpeaking: by === speaking, prices };
}
