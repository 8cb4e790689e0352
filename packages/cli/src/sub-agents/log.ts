/** Reads from a session's log which sub-agents were started, reported (once: the report is its own mark) and paid for. */

import type { SessionView } from "@pith/agent";
import type { Entry } from "@pith/context";
import { QUEUE_TYPE } from "@pith/context/host";

/** The kind of what stands in the log for one: a custom entry at its start, a message at its end, and what it cost. */
export const SUB_AGENT = "subagent";

/** The data of a custom entry. */
export interface StartedSubAgent {
  readonly id: string;
  readonly agent: string;
  /** Its beginning. */
  readonly task: string;
  /** The file of its session. */
  readonly path: string;
}

/** The data of the one that says that nobody waits for it any more. */
export interface DroppedSubAgent {
  readonly id: string;
  readonly isDropped: true;
}

/** The data of the one behind a compaction: who was still to be told of there, so that nobody need look before it. */
export interface OpenSubAgents {
  readonly open: readonly (StartedSubAgent & { readonly isPaid: boolean })[];
}

/** The details of a result or a message that tells the end of some. */
export interface ResultDetails {
  readonly subAgents: readonly { readonly id: string; readonly agent: string; readonly status: string }[];
}

export interface SubAgentLog {
  readonly started: readonly StartedSubAgent[];
  /** By id. */
  readonly reported: ReadonlySet<string>;
  readonly paid: ReadonlySet<string>;
}

/** Of the loaded end alone, unless something before it may matter: a long history is not read at every start. */
export async function readSubAgentLog(session: Pick<SessionView, "entries" | "branch">): Promise<SubAgentLog> {
  const loaded = session.entries();
  const isEnough =
    loaded.length === 0 || loaded[0]?.parentId === null || loaded.some((entry) => parseOpenSubAgents(entry) !== null);
  return parseSubAgentLog(isEnough ? loaded : await session.branch());
}

/** The latest alone, where this one is among them. */
export async function findStartedSubAgents(
  session: Pick<SessionView, "entries" | "branch">,
  id: string,
): Promise<readonly StartedSubAgent[]> {
  const { started: latest } = parseSubAgentLog(session.entries());
  return latest.some((subAgent) => subAgent.id === id) ? latest : parseSubAgentLog(await session.branch()).started;
}

export function selectOpenSubAgents({ started, reported, paid }: SubAgentLog): OpenSubAgents {
  return {
    open: started
      .filter(({ id }) => !reported.has(id))
      .map((subAgent) => ({ ...subAgent, isPaid: paid.has(subAgent.id) })),
  };
}

export function parseSubAgentLog(entries: readonly Entry[]): SubAgentLog {
  const started = new Map<string, StartedSubAgent>();
  const reported = new Set<string>();
  const paid = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "usage" && entry.kind === SUB_AGENT && entry.note) paid.add(entry.note);
    for (const { isPaid, ...subAgent } of parseOpenSubAgents(entry) ?? []) {
      started.set(subAgent.id, subAgent);
      if (isPaid) paid.add(subAgent.id);
    }
    const data = getSubAgentData(entry);
    if (isStartedSubAgent(data)) started.set(data.id, data);
    else if (data?.isDropped === true) reported.add(String(data.id));
    for (const id of findReportedIds(entry)) reported.add(id);
  }
  return { started: [...started.values()], reported, paid };
}

type EntryData = Readonly<Record<string, unknown>>;

function getSubAgentData(entry: Entry): EntryData | null {
  return entry.type === "custom" && entry.customType === SUB_AGENT ? (Object(entry.data) as EntryData) : null;
}

/** Null where it is none of those behind a compaction. */
function parseOpenSubAgents(entry: Entry): OpenSubAgents["open"] | null {
  const open = getSubAgentData(entry)?.open;
  return Array.isArray(open)
    ? open.filter(isStartedSubAgent).map((subAgent) => ({ ...subAgent, isPaid: Object(subAgent).isPaid === true }))
    : null;
}

function isStartedSubAgent(data: unknown): data is StartedSubAgent {
  const { id, agent, task, path } = Object(data) as EntryData;
  return [id, agent, task, path].every((field) => typeof field === "string");
}

/** One that waits for its turn is as good as told: it stands in the log. */
function findReportedIds(entry: Entry): readonly string[] {
  if (entry.type === "custom_message") return entry.customType === SUB_AGENT ? parseIds(entry.details) : [];
  if (entry.type === "custom" && entry.customType === QUEUE_TYPE) {
    const { custom } = Object(entry.data) as { readonly custom?: unknown };
    const { customType, details } = Object(custom) as { readonly customType?: unknown; readonly details?: unknown };
    return customType === SUB_AGENT ? parseIds(details) : [];
  }
  if (entry.type !== "message" || entry.message.role !== "toolResult") return [];
  return entry.message.toolName === SUB_AGENT ? parseIds(entry.message.details) : [];
}

function parseIds(details: unknown): readonly string[] {
  const { subAgents } = Object(details) as { readonly subAgents?: unknown };
  return Array.isArray(subAgents) ? subAgents.map((subAgent) => String(Object(subAgent).id)) : [];
}
