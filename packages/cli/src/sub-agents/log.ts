/** Reads from a session's log which sub-agents were started, reported (once: the report is its own mark) and paid for. */

import type { SessionView } from "@pith/agent";
import type { Entry } from "@pith/context";
import { QUEUE_TYPE } from "@pith/context/host";

/** The kind of what stands in the log for one: a custom entry at its start, a message at its end, and what it cost. */
export const SUB_AGENT = "subagent";

/** The data of a custom entry. */
export interface Started {
  readonly id: string;
  readonly agent: string;
  /** Its beginning. */
  readonly task: string;
  /** The file of its session. */
  readonly path: string;
}

/** The data of the one that says that nobody waits for it any more. */
export interface Dropped {
  readonly id: string;
  readonly isDropped: true;
}

/** The data of the one behind a compaction: who was still to be told of there, so that nobody need look before it. */
export interface StillOpen {
  readonly open: readonly (Started & { readonly isPaid: boolean })[];
}

/** The details of a result or a message that tells the end of some. */
export interface Ends {
  readonly subAgents: readonly { readonly id: string; readonly agent: string; readonly status: string }[];
}

export interface InLog {
  readonly started: readonly Started[];
  /** By id. */
  readonly told: ReadonlySet<string>;
  readonly paid: ReadonlySet<string>;
}

/** Of the loaded end alone, unless something before it may matter: a long history is not read at every start. */
export async function subAgentsOf(session: Pick<SessionView, "entries" | "branch">): Promise<InLog> {
  const loaded = session.entries();
  const isEnough =
    loaded.length === 0 || loaded[0]?.parentId === null || loaded.some((entry) => openIn(entry) !== null);
  return subAgentsIn(isEnough ? loaded : await session.branch());
}

/** The latest alone, where this one is among them. */
export async function startedIn(
  session: Pick<SessionView, "entries" | "branch">,
  id: string,
): Promise<readonly Started[]> {
  const { started: latest } = subAgentsIn(session.entries());
  return latest.some((each) => each.id === id) ? latest : subAgentsIn(await session.branch()).started;
}

export function stillOpen({ started, told, paid }: InLog): StillOpen {
  return { open: started.filter(({ id }) => !told.has(id)).map((each) => ({ ...each, isPaid: paid.has(each.id) })) };
}

export function subAgentsIn(entries: readonly Entry[]): InLog {
  const started = new Map<string, Started>();
  const told = new Set<string>();
  const paid = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "usage" && entry.kind === SUB_AGENT && entry.note) paid.add(entry.note);
    for (const { isPaid, ...each } of openIn(entry) ?? []) {
      started.set(each.id, each);
      if (isPaid) paid.add(each.id);
    }
    const data = dataIn(entry);
    if (isStarted(data)) started.set(data.id, data);
    else if (data?.isDropped === true) told.add(String(data.id));
    for (const id of endsIn(entry)) told.add(id);
  }
  return { started: [...started.values()], told, paid };
}

type Data = Readonly<Record<string, unknown>>;

function dataIn(entry: Entry): Data | null {
  return entry.type === "custom" && entry.customType === SUB_AGENT ? (Object(entry.data) as Data) : null;
}

/** Null where it is none of those behind a compaction. */
function openIn(entry: Entry): StillOpen["open"] | null {
  const open = dataIn(entry)?.open;
  return Array.isArray(open)
    ? open.filter(isStarted).map((each) => ({ ...each, isPaid: Object(each).isPaid === true }))
    : null;
}

function isStarted(data: unknown): data is Started {
  const { id, agent, task, path } = Object(data) as Data;
  return [id, agent, task, path].every((each) => typeof each === "string");
}

/** One that waits for its turn is as good as told: it stands in the log. */
function endsIn(entry: Entry): readonly string[] {
  if (entry.type === "custom_message") return entry.customType === SUB_AGENT ? idsIn(entry.details) : [];
  if (entry.type === "custom" && entry.customType === QUEUE_TYPE) {
    const { custom } = Object(entry.data) as { readonly custom?: unknown };
    const { customType, details } = Object(custom) as { readonly customType?: unknown; readonly details?: unknown };
    return customType === SUB_AGENT ? idsIn(details) : [];
  }
  if (entry.type !== "message" || entry.message.role !== "toolResult") return [];
  return entry.message.toolName === SUB_AGENT ? idsIn(entry.message.details) : [];
}

function idsIn(details: unknown): readonly string[] {
  const { subAgents } = Object(details) as { readonly subAgents?: unknown };
  return Array.isArray(subAgents) ? subAgents.map((each) => String(Object(each).id)) : [];
}
