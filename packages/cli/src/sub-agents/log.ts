/** Reads from the entries of a session which sub-agents were started, reported and paid for. */

import type { SessionView } from "@pith/agent";
import type { Entry } from "@pith/context";
import { QUEUE_TYPE } from "@pith/context/host";

/** The tool name, and the type of a sub-agent's entries: a custom entry at its start, a message with its result, and its usage. */
export const SUB_AGENT = "subagent";

/** The data of the custom entry for a start. */
export interface StartedSubAgent {
  readonly id: string;
  readonly agent: string;
  /** The beginning of the task. */
  readonly task: string;
  /** The session file of the sub-agent. */
  readonly path: string;
}

/** The data of the custom entry for a stopped sub-agent, whose result is not reported. */
export interface DroppedSubAgent {
  readonly id: string;
  readonly isDropped: true;
}

/** The data of the custom entry after a compaction: the sub-agents that were not reported yet. Entries before it need not be read. */
export interface OpenSubAgents {
  readonly open: readonly (StartedSubAgent & { readonly isPaid: boolean })[];
}

/** The details of a tool result or message that reports results. These details are the only record that a result was reported. */
export interface ResultDetails {
  readonly subAgents: readonly { readonly id: string; readonly agent: string; readonly status: string }[];
}

export interface SubAgentLog {
  readonly subAgents: readonly StartedSubAgent[];
  readonly reportedIds: ReadonlySet<string>;
  /** The sub-agents whose usage is recorded in this session. */
  readonly paidIds: ReadonlySet<string>;
}

/** Reads only the loaded entries if they are enough, so that a start does not read a long history. */
export async function readSubAgentLog(session: Pick<SessionView, "entries" | "branch">): Promise<SubAgentLog> {
  const loaded = session.entries();
  const isEnough =
    loaded.length === 0 || loaded[0]?.parentId === null || loaded.some((entry) => parseOpenSubAgents(entry) !== null);
  return parseSubAgentLog(isEnough ? loaded : await session.branch());
}

/** Returns the sub-agents of the loaded entries if the id is among them, otherwise those of the whole branch. */
export async function findStartedSubAgents(
  session: Pick<SessionView, "entries" | "branch">,
  id: string,
): Promise<readonly StartedSubAgent[]> {
  const { subAgents: latest } = parseSubAgentLog(session.entries());
  return latest.some((subAgent) => subAgent.id === id) ? latest : parseSubAgentLog(await session.branch()).subAgents;
}

export function selectOpenSubAgents({ subAgents, reportedIds, paidIds }: SubAgentLog): OpenSubAgents {
  return {
    open: subAgents
      .filter(({ id }) => !reportedIds.has(id))
      .map((subAgent) => ({ ...subAgent, isPaid: paidIds.has(subAgent.id) })),
  };
}

export function parseSubAgentLog(entries: readonly Entry[]): SubAgentLog {
  const subAgents = new Map<string, StartedSubAgent>();
  const reportedIds = new Set<string>();
  const paidIds = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "usage" && entry.kind === SUB_AGENT && entry.note) paidIds.add(entry.note);
    for (const { isPaid, ...subAgent } of parseOpenSubAgents(entry) ?? []) {
      subAgents.set(subAgent.id, subAgent);
      if (isPaid) paidIds.add(subAgent.id);
    }
    const data = getSubAgentData(entry);
    if (isStartedSubAgent(data)) subAgents.set(data.id, data);
    else if (data?.isDropped === true) reportedIds.add(String(data.id));
    for (const id of findReportedIds(entry)) reportedIds.add(id);
  }
  return { subAgents: [...subAgents.values()], reportedIds, paidIds };
}

type EntryData = Readonly<Record<string, unknown>>;

function getSubAgentData(entry: Entry): EntryData | null {
  return entry.type === "custom" && entry.customType === SUB_AGENT ? (Object(entry.data) as EntryData) : null;
}

/** Null if the entry is not the record after a compaction. */
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

/** A queued message is also a report: it is in the session and will be delivered. */
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
