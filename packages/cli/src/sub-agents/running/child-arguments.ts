/** The command line of a sub-agent: this program once more, held by what holds its caller at this moment. The task is never on it. */

import type { ModelName } from "@pith/context";
import { sellerOf } from "../../speaking/opening-beside.ts";
import type { AgentPart } from "../finding/agent-in.ts";
import type { Held } from "../held.ts";
import { SUB_AGENT } from "../keeping/in-log.ts";

export interface ChildPlace {
  readonly agent: AgentPart;
  readonly sessionPath: string;
  readonly held: Held;
  /** Who speaks for the caller. */
  readonly speaker: ModelName;
}

export function childArguments({ agent, sessionPath, held, speaker }: ChildPlace): readonly string[] {
  return [
    ...process.execArgv,
    process.argv[1] ?? "",
    ...["--mode", "rpc", "--agent", agent.name, "--session", sessionPath],
    ...modelFlags(agent, { held, speaker }),
    ...toolFlags(agent, held),
    ...heldFlags(held),
  ];
}

/** Those that it has where the tools of its caller were named: none but these. Undefined where nobody named any. */
export function toolsLeft({ tools }: AgentPart, { choices }: Held): readonly string[] | undefined {
  const named = choices.tools;
  if (!named || named.includes("all")) return undefined;
  const own = tools && !tools.includes("all") ? tools : named;
  return own.filter((name) => named.includes(name) && name !== SUB_AGENT);
}

function toolFlags(agent: AgentPart, held: Held): readonly string[] {
  const left = toolsLeft(agent, held);
  return left ? [`--tools=${left.join(",")}`] : [];
}

function modelFlags({ model }: AgentPart, { held, speaker }: Pick<ChildPlace, "held" | "speaker">): readonly string[] {
  if (model !== undefined) return [];
  const { baseUrl } = held.choices;
  // No key of another seller is sent there.
  const isIts = sellerOf(speaker.provider) === sellerOf(held.addressee ?? "");
  const address = baseUrl === undefined || !isIts ? [] : [`--base-url=${baseUrl}`];
  return [`--model=${speaker.provider}/${speaker.model}`, ...address];
}

function heldFlags({ permissions, trusts, choices }: Held): readonly string[] {
  const { sandbox, network } = choices;
  const rules = permissions?.rules ?? { allow: [], deny: [] };
  return [
    `--permission-mode=${permissions?.mode ?? "plan"}`,
    ...rules.allow.map(({ text }) => `--allow=${text}`),
    ...rules.deny.map(({ text }) => `--deny=${text}`),
    ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
    ...(network === undefined ? [] : [`--network=${network}`]),
    ...(choices.contextFiles === false ? ["--no-context-files"] : []),
    ...(choices.skills === false ? ["--no-skills"] : []),
    ...(trusts ? ["--trust"] : []),
  ];
}
