/** What `--agent` changes: the model plays this part, with its tools, its model and its thinking. What a flag says goes before. */

import { type Mistake, mistake } from "../asking/mistake.ts";
import { nearest } from "../asking/nearest.ts";
import type { Wish } from "../asking/wish.ts";
import type { Settings } from "../home/settings.ts";
import type { TrustedFolder } from "../home/trust/trusted-folder.ts";
import type { AgentPart } from "./finding/agent-in.ts";
import { type AgentPlaces, findAgents } from "./finding/find-agents.ts";

export type Played =
  | {
      readonly type: "played";
      readonly wish: Wish;
      readonly choices: Settings;
      /** For people. */
      readonly notes: readonly string[];
    }
  | Mistake;

export async function playAgent(
  wish: Wish & { readonly agent: string },
  { choices, ...places }: AgentPlaces & { readonly choices: Settings },
): Promise<Played> {
  const { agents, notes } = await findAgents(places);
  const agent = agents.find(({ name }) => name === wish.agent);
  if (!agent) return unknown(wish.agent, agents, places.trusted);
  const systemPrompt = wish.systemPrompt ?? agent.text;
  return { type: "played", wish: { ...wish, systemPrompt }, choices: chosen(agent, choices, wish.choices), notes };
}

function chosen({ tools, model, thinking }: AgentPart, choices: Settings, flags: Wish["choices"]): Settings {
  const own = {
    ...(tools && flags.tools === undefined && { tools }),
    ...(model !== undefined && flags.model === undefined && { model }),
    ...(thinking && flags.thinking === undefined && { thinking }),
  };
  // An address belongs to the model that is set beside it: the key of another must not be sent there.
  const isElsewhere = own.model !== undefined && own.model !== choices.model && flags.baseUrl === undefined;
  const { baseUrl: _, ...rest } = choices;
  return { ...(isElsewhere ? rest : choices), ...own };
}

function unknown(name: string, agents: readonly AgentPart[], folder: TrustedFolder | undefined): Mistake {
  const isHeld = folder?.type === "untrusted" && folder.holds.files.some(({ kind }) => kind === "agents");
  const held = isHeld ? `; ${HELD}` : "";
  const names = agents.map((agent) => agent.name);
  if (names.length === 0)
    return mistake(`there is no agent ${name}, nor any other; write one into ~/.pith/agents/${name}.md${held}`);
  const near = nearest(name, names);
  const meant = near === null ? "" : ` (did you mean ${near}?)`;
  return mistake(`there is no agent ${name}${meant}; there are: ${names.join(", ")}${held}`);
}

const HELD =
  "the agents of this folder do not count until it is trusted as it is now (look with: pith trust --show, then: pith trust)";
