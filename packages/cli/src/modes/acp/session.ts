/** Opens one session for an editor, and sends its events, questions and changed options to the editor. */

import { randomUUID } from "node:crypto";
import type { AgentContext } from "@agentclientprotocol/sdk/unstable";
import type { AgentEvent, SessionReason } from "@pith/agent";
import type { Redaction } from "@pith/context";
import { noRedaction } from "@pith/context/host";
import { openDesk, type Ready, readied } from "../../app/start.ts";
import type { SessionWish, Wish } from "../../args/args.ts";
import type { Desk } from "../../commands/command.ts";
import type { ModelPlaces } from "../../models/available-models.ts";
import { SessionCost } from "../../sessions/session-stats.ts";
import type { McpServers } from "../../settings/settings.ts";
import { type Abilities, type EditorSession, failing, type Sight, type TellEditor, wrongly } from "./acp-context.ts";
import { configOptions } from "./config-options.ts";
import { OpenCalls } from "./tool-updates.ts";
import { askEditor, editorUi } from "./ui.ts";
import { firstIds, idsAt, toUpdates, usageUpdate } from "./updates.ts";

export interface ChoicesParts {
  readonly desk: Pick<Desk, "agent" | "mode">;
  readonly place: ModelPlaces;
  readonly tell: TellEditor;
}

/** Options may also change outside the protocol, such as by a slash command. Nothing is told where nothing has changed since. */
export function choicesTeller({ desk, place, tell }: ChoicesParts): () => Promise<void> {
  const { agent, mode } = desk;
  const now = (): string => [mode?.now(), agent.model.provider, agent.model.model, agent.thinkingLevel].join("\n");
  let last = now();
  let lastMode = mode?.now();
  return async () => {
    if (now() === last) return;
    last = now();
    const currentModeId = mode?.now();
    if (currentModeId !== undefined && currentModeId !== lastMode)
      await tell({ sessionUpdate: "current_mode_update", currentModeId });
    lastMode = currentModeId;
    await tell({ sessionUpdate: "config_option_update", configOptions: await configOptions(desk, place) });
  };
}

export interface OpeningWish {
  readonly session: SessionWish;
  readonly cwd: string;
  readonly mcpServers: McpServers;
  readonly reason: SessionReason;
}

export interface OpeningParts {
  /** The call of the program. */
  readonly wish: Wish;
  readonly client: AgentContext;
  readonly can: Abilities;
  /** For people, on the standard error. */
  readonly note: (line: string) => void;
}

/** Throws what the editor is answered where it cannot be opened. */
export async function openEditorSession(opening: OpeningWish, parts: OpeningParts): Promise<EditorSession> {
  const { cwd, mcpServers, reason } = opening;
  const { client, can } = parts;
  const sight: Sight = { cwd, can };
  const calls = new OpenCalls();
  const live: Live = { session: null, concealed: noRedaction, cost: new SessionCost() };
  const tell: TellEditor = async (update) => {
    const sessionId = live.session?.id;
    // Whoever has left does not want to hear more.
    if (sessionId !== undefined) await client.notify("session/update", { sessionId, update }).catch(() => {});
  };
  const asking = { client, sight, calls, tell, session: () => live.session };
  const ready = await readied(
    { ...parts.wish, words: "", files: [], session: opening.session },
    {
      ...{ cwd, mcpServers, arrival: { reason }, needsModel: false },
      ask: askEditor(asking),
      ui: editorUi(asking),
      listen: listenFor(live, { sight, calls, tell }),
      note: (line) => parts.note(live.concealed.redact(line)),
      conceal: (redaction) => {
        live.concealed = redaction;
      },
    },
  );
  if (ready.type === "mistake") throw wrongly(ready.message);
  if (ready.type === "failed") throw failing(ready.message);
  live.session = sessionOn(ready, { sight, tell, note: parts.note });
  await live.cost.count(ready.built.agent.session, ready.built.sessionPath);
  return live.session;
}

/** What is known of it only once it is open, and may change. */
interface Live {
  session: EditorSession | null;
  concealed: Redaction;
  readonly cost: SessionCost;
}

interface Listening {
  readonly sight: Sight;
  readonly calls: OpenCalls;
  readonly tell: TellEditor;
}

/** As fast as the editor reads. */
function listenFor(live: Live, { sight, calls, tell }: Listening): (event: AgentEvent) => Promise<void> {
  let ids = firstIds(randomUUID().slice(0, 8));
  return async (event) => {
    ids = idsAt(ids, event);
    if (event.type === "entry_appended") live.cost.add([event.entry]);
    const clean = isClean(event) ? event : live.concealed.redact(event);
    calls.hear(clean);
    const updates = toUpdates(clean, sight, ids).map(tell);
    if (event.type === "turn_end" || event.type === "compaction_end" || event.type === "leaf_moved") {
      const usage = live.session && usageUpdate(live.session.ready.built.agent, live.cost.cost);
      if (usage) updates.push(tell(usage));
    }
    if (event.type === "thinking_level_changed" && live.session) updates.push(live.session.tellChoices());
    await Promise.all(updates);
  };
}

/** What the agent itself has made clean, and too often to be looked at twice. */
function isClean({ type }: AgentEvent): boolean {
  return type === "message_update" || type === "tool_execution_update" || type === "entry_appended";
}

function sessionOn(
  ready: Ready,
  { sight, tell, note }: { readonly sight: Sight; readonly tell: TellEditor; readonly note: (line: string) => void },
): EditorSession {
  const { agent, close } = ready.built;
  let stops = 0;
  let stopping = Promise.resolve();
  let running: Promise<unknown> = Promise.resolve();
  const stop = (): Promise<void> => {
    stops += 1;
    stopping = Promise.allSettled([agent.abort(), running]).then(() => undefined);
    return stopping;
  };
  const desk = openDesk(ready.built, { ...ready.place, sources: ready.sources, note });
  return {
    ...{ id: agent.session.store.header.id, ready, desk, sight, tell, stop },
    stops: () => stops,
    stopped: () => stopping,
    during: (run) => {
      running = run;
      return run;
    },
    tellChoices: choicesTeller({ desk, place: ready.place, tell }),
    close: async () => {
      await stop();
      await close();
    },
  };
}
