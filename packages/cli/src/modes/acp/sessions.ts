/** Manages an editor's open sessions, each in its own folder; lists stored sessions and commands, and converts given MCP servers. */

import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type {
  AvailableCommand,
  McpServer as GivenServer,
  ListSessionsRequest,
  ListSessionsResponse,
  NewSessionResponse,
} from "@agentclientprotocol/sdk/unstable";
import type { SessionReason } from "@pith/agent";
import { findSession, forkSession, listSessions, pithHome } from "@pith/context/node";
import type { SessionWish } from "../../args/args.ts";
import { commands } from "../../commands/commands.ts";
import type { McpServer as ConfiguredMcpServer, McpServers } from "../../settings/settings.ts";
import { type Mistake, mistake } from "../../text/usage-error.ts";
import { type EditorSession, failing, notOpen, unknownSession, wrongly } from "./acp-context.ts";
import { configOptions, modeState } from "./config-options.ts";
import { replay } from "./replay.ts";
import { type OpeningParts, openEditorSession } from "./session.ts";
import { firstIds, toUpdates, usageUpdate } from "./updates.ts";

export async function announceCommands({ desk, ready, tell }: EditorSession): Promise<void> {
  const own = commands.filter(({ name }) => !OF_THE_SCREEN.includes(name)).map(commandOffered);
  const extended = (ready.place.extensions?.commands ?? []).map(({ name, argumentHint, description }) =>
    commandOffered({ name, says: description, ...(argumentHint !== undefined && { takes: argumentHint }) }),
  );
  const texts = ((await desk.templates?.list()) ?? []).map(({ name, says }) =>
    commandOffered({ name, says, takes: "[words]" }),
  );
  await tell({
    sessionUpdate: "available_commands_update",
    availableCommands: [...new Map([...texts, ...extended, ...own].map((each) => [each.name, each])).values()],
  });
}

/** An editor has its own way to these. */
const OF_THE_SCREEN: readonly string[] = ["quit", "keys", "new", "resume"];

function commandOffered({ name, says, takes }: Offered): AvailableCommand {
  return { name, description: says, ...(takes !== undefined && { input: { hint: takes } }) };
}

interface Offered {
  readonly name: string;
  readonly says: string;
  readonly takes?: string;
}

export async function listed({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
  const from = cursor ? Number(cursor) : 0;
  if (!Number.isSafeInteger(from) || from < 0) throw wrongly("this cursor is none of ours; ask without one");
  const all = await listSessions({ ...(cwd && { cwd }) });
  // What nobody has said a word in, or nobody can read, is nothing to open.
  const shown = all.filter(({ firstMessage, damaged }) => firstMessage !== "" && damaged === undefined);
  const page = shown.slice(from, from + PAGE);
  return {
    sessions: page.map(({ id, cwd: folder, name, firstMessage, modified }) => ({
      sessionId: id,
      cwd: folder,
      title: name ?? firstMessage.slice(0, TITLE),
      updatedAt: new Date(modified).toISOString(),
    })),
    ...(from + PAGE < shown.length && { nextCursor: `${from + PAGE}` }),
  };
}

const PAGE = 100;
const TITLE = 80;

/** Its file. What comes from an editor is an id and never a path. */
export async function pathOf(sessionId: string): Promise<string> {
  const found = await findSession(sessionId, { env: { PITH_HOME: pithHome() } });
  if (found.type !== "found" || found.id !== sessionId) throw unknownSession(sessionId);
  return found.path;
}

export type GivenServers = { readonly type: "servers"; readonly servers: McpServers } | Mistake;

export function mcpGiven(given: readonly GivenServer[] = []): GivenServers {
  const servers: Record<string, ConfiguredMcpServer> = {};
  for (const server of given) {
    const { name } = server;
    if (Object.hasOwn(servers, name)) return mistake(`two servers are named "${name}"; give each a name of its own`);
    const found = serverOf(server);
    if (found === null)
      return mistake(`server "${name}" speaks neither over stdio nor over HTTP; Pith knows only these`);
    Object.defineProperty(servers, name, { value: found, enumerable: true });
  }
  return { type: "servers", servers };
}

function serverOf(server: GivenServer): ConfiguredMcpServer | null {
  if (!("type" in server)) return { command: server.command, args: server.args, env: pairs(server.env) };
  return server.type === "http" ? { url: server.url, headers: pairs(server.headers) } : null;
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): Readonly<Record<string, string>> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

export interface Placed {
  readonly cwd: string;
  readonly mcpServers?: readonly GivenServer[];
}

export class EditorSessions {
  readonly #open = new Map<string, EditorSession>();
  #turn: Promise<unknown> = Promise.resolve();

  session(id: string): EditorSession {
    const found = this.#open.get(id);
    if (!found) throw notOpen(id);
    return found;
  }

  /** A new one, unless the program was told to keep none. */
  async begin(placed: Placed, parts: OpeningParts): Promise<EditorSession> {
    const type = parts.wish.session.type === "none" ? "none" : "new";
    return await this.#inTurn(() => this.#opened({ type }, { ...placed, reason: "new" }, parts));
  }

  /** One that is kept; one that is open already stays open. */
  async take(id: string, placed: Placed, parts: OpeningParts): Promise<EditorSession> {
    return await this.#inTurn(async () => {
      const open = this.#open.get(id);
      if (open && open.sight.cwd === placed.cwd) return open;
      if (open) await this.close(id);
      return await this.#opened({ type: "named", name: await pathOf(id) }, { ...placed, reason: "resume" }, parts);
    });
  }

  /** Another one that begins as this one stands. */
  async fork(id: string, placed: Placed, parts: OpeningParts): Promise<EditorSession> {
    return await this.#inTurn(async () => {
      const source = this.#open.get(id)?.ready.built.agent.session ?? (await pathOf(id));
      await folderIn(placed);
      const forked = await forkSession(source, { cwd: placed.cwd, env: { PITH_HOME: pithHome() } });
      if (forked.type !== "forked")
        throw failing(forked.type === "held" ? "another process writes it; close it there" : forked.why);
      return await this.#opened({ type: "named", name: forked.path }, { ...placed, reason: "fork" }, parts);
    });
  }

  /** Nothing where it is not open. */
  async close(id: string): Promise<void> {
    const found = this.#open.get(id);
    this.#open.delete(id);
    await found?.close();
  }

  async closeAll(): Promise<void> {
    await this.#turn;
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }

  /** One after the other, so that none is opened twice, and none is missed when all are closed. */
  async #inTurn(open: () => Promise<EditorSession>): Promise<EditorSession> {
    const opening = this.#turn.then(open);
    this.#turn = opening.catch(() => undefined);
    return await opening;
  }

  async #opened(
    session: SessionWish,
    { reason, ...placed }: Placed & { readonly reason: SessionReason },
    parts: OpeningParts,
  ): Promise<EditorSession> {
    const mcp = mcpGiven(placed.mcpServers);
    if (mcp.type === "mistake") throw wrongly(mcp.message);
    const wish = { session, cwd: await folderIn(placed), mcpServers: mcp.servers, reason };
    const opened = await openEditorSession(wish, parts);
    this.#open.set(opened.id, opened);
    return opened;
  }
}

async function folderIn({ cwd }: Placed): Promise<string> {
  if (!isAbsolute(cwd)) throw wrongly(`cwd must be an absolute path, not "${cwd}"`);
  const found = await stat(cwd).catch(() => null);
  if (!found?.isDirectory()) throw wrongly(`there is no folder ${cwd}; name one that is there as cwd`);
  return cwd;
}

/** What the editor is answered with one that is open. */
export async function opening({ id, desk, ready }: EditorSession): Promise<NewSessionResponse> {
  return {
    sessionId: id,
    modes: modeState(ready.built.permissions.mode, ready.place.choices.policy),
    configOptions: await configOptions(desk, ready.place),
  };
}

/** Everything of its branch, also what was compacted. */
export async function shownAgain({ ready, sight, tell }: EditorSession): Promise<void> {
  const { session } = ready.built.agent;
  const branch = await session.store.branchEntries(session.leaf);
  for (const update of replay(session.redact(branch), sight)) await tell(update);
}

/** What an editor shows beside a session, once it knows of it. */
export async function introduced(session: EditorSession): Promise<void> {
  const damaged = session.ready.takeDamage();
  if (damaged) for (const update of toUpdates(damaged, session.sight, firstIds("damage"))) await session.tell(update);
  await announceCommands(session);
  const { agent } = session.ready.built;
  const title = await agent.session.store.name();
  if (title) await session.tell({ sessionUpdate: "session_info_update", title: agent.session.redact(title) });
  const usage = agent.session.leaf === null ? null : usageUpdate(agent, null);
  if (usage) await session.tell(usage);
}
