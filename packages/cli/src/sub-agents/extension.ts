/** Registers the sub-agent extension: one tool, and a state section that lists what works in the background. */

import type { Extension, ExtensionApi, ExtensionContext } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { type AgentPart, findAgents } from "./definitions.ts";
import { type StillOpen, SUB_AGENT, startedIn, stillOpen, subAgentsOf } from "./log.ts";
import { Crew, recover } from "./pool.ts";
import { type Result, type ToldEnd, toldEnd } from "./result.ts";
import type { Held, SubAgentOptions } from "./sub-agent-options.ts";
import { runTool } from "./tool.ts";
import { STATE, toolSchema } from "./tool-input.ts";

export async function subAgents({ home, trusted, held, vault, note }: SubAgentOptions): Promise<Extension> {
  const { agents, notes } = await findAgents({ home, ...(trusted && { trusted }) });
  for (const line of notes) note?.(line);
  return (pith) => {
    if (held && agents.length > 0) registered(pith, { agents, held, redaction: vault ?? noRedaction });
  };
}

interface Parts {
  readonly agents: readonly AgentPart[];
  readonly held: Held;
  readonly redaction: Redaction;
}

interface Now {
  readonly crew: Crew;
  /** What ended before this program began, and nobody was told. */
  untold: readonly Result[];
  readonly context: ExtensionContext;
}

function registered(pith: ExtensionApi, { agents, held, redaction }: Parts): void {
  let now: Now | null = null;
  pith.on("session_start", async (_, context) => {
    await now?.crew.close();
    const onWorking = (count: number): void => context.ui.setStatus("sub-agents", atWork(count));
    const crew = new Crew({ pith, context, held, onWorking });
    now = { crew, context, untold: [] };
    now.untold = await recover(await subAgentsOf(context.session), { crew, file: context.session.file });
  });
  markCompactions(pith);
  tellUntold(pith, () => {
    const { untold = [] } = now ?? {};
    if (now) now.untold = [];
    return untold.length === 0 ? null : toldEnd(untold);
  });
  pith.on("session_shutdown", async () => {
    await now?.crew.close();
  });
  // Whoever stops means all that works for them.
  pith.on("agent_settled", ({ aborted }) => {
    if (aborted) for (const member of now?.crew.members ?? []) if (member.result === null) void now?.crew.drop(member);
  });
  pith.registerState("sub-agents", () => stateOf(now?.crew));
  pith.registerTool({
    ...toolSchema(agents),
    // What they do is permitted by what holds them, call by call.
    intent: () => ({ type: "nothing" }),
    run: async (call) => {
      if (!now) return { content: [{ type: "text", text: "the session has not begun" }], isError: true };
      const { crew, context } = now;
      const known = (id: string) => startedIn(context.session, id);
      // A task is for another model: what is kept from this one is kept from that one, too.
      const concealed = { ...call, arguments: redaction.redact(call.arguments) };
      return await runTool(concealed, { crew, agents, stays: context.hasUI, known });
    },
  });
}

/** Nothing where none works. */
function atWork(count: number): string | undefined {
  return count === 0 ? undefined : `${count} ${count === 1 ? "sub-agent" : "sub-agents"} at work`;
}

/** Behind each compaction stands who is still to be told of, so that no start reads what lies before it. */
function markCompactions(pith: ExtensionApi): void {
  let open: StillOpen | null = null;
  pith.on("session_before_compact", async (_, { session }) => {
    open = stillOpen(await subAgentsOf(session));
  });
  pith.on("session_compact", () => {
    const data = open;
    open = null;
    return data ? { entries: [{ type: "custom", customType: SUB_AGENT, data }] } : undefined;
  });
}

/** Behind what is said first; where a run takes up what was left, behind its first turn. */
function tellUntold(pith: ExtensionApi, taken: () => ToldEnd | null): void {
  pith.on("before_agent_start", () => {
    const message = taken();
    return message ? { message } : undefined;
  });
  pith.on("turn_end", () => {
    const message = taken();
    return message ? { entries: [{ type: "custom_message", ...message }], continue: true } : undefined;
  });
}

/** What they do at this moment is left out: every other word would be told anew. */
function stateOf(crew: Crew | undefined): string | null {
  const working = (crew?.members ?? []).filter(({ isBackground, result }) => isBackground && result === null);
  if (working.length === 0) return null;
  return [STATE, ...working.map(({ id, agent, task }) => `- ${id} (${agent}): ${task}`)].join("\n");
}
