/** `/model`: who speaks, or who shall speak from the next request on. */

import type { Agent, ModelSet } from "@pith/agent";
import { mistake } from "../../asking/mistake.ts";
import { amount } from "../../printing/amounts.ts";
import { failed, told } from "../answers.ts";
import type { Answer, Command } from "../command.ts";
import { compactionTold } from "../fitting/compaction-told.ts";

export const model: Command = {
  name: "model",
  takes: "[provider/model]",
  says: "who speaks, or who speaks from the next request on",
  examples: ["/model", "/model anthropic/claude-sonnet-4-5"],
  async run(words, { agent, openModel, note }) {
    if (words === "") return whoSpeaks(agent);
    if (!/^[^/\s]+\/\S+$/.test(words))
      return mistake(`/model takes provider/model, such as anthropic/claude-sonnet-4-5, not "${words}"`);
    const opened = await openModel(words);
    if (opened.type !== "opened") return mistake(opened.message);
    for (const line of opened.notes()) note?.(`${line}`);
    return outcomeOf(await agent.setModel(opened.model), agent);
  },
};

function whoSpeaks({ model: { api, provider, model: name, contextWindow } }: Agent, before = ""): Answer {
  if (api === ABSENT)
    return told("nobody can speak yet; set a key, or name one who needs none: /model provider/model", null);
  const window = contextWindow > 0 ? `a window of ${amount(contextWindow)} tokens` : "a window nobody knows";
  return told(`${before}${provider}/${name}, ${window}`, { provider, model: name, contextWindow });
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

function outcomeOf(set: ModelSet, agent: Agent): Answer {
  if (set.type === "set") return whoSpeaks(agent, "from now on: ");
  const { tokens, limit, compaction } = set;
  const amounts = `${amount(tokens)} tokens, and ${amount(limit)} fit`;
  const tried = compactionTold(compaction);
  const why = tried.type === "failed" ? tried.message : tried.type === "told" ? tried.text : "";
  return failed(`who spoke still speaks: the context has ${amounts}; ${why}. /compact first, or /new`);
}
