/** Opens, forks, closes and lists the sessions of an editor, and sends an editor the details of a session. */

import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type {
  McpServer as AcpMcpServer,
  AvailableCommand,
  ListSessionsRequest,
  ListSessionsResponse,
  NewSessionResponse,
} from "@agentclientprotocol/sdk/unstable";
import type { SessionReason } from "@pith/agent";
import { findSession, forkSession, listSessions, pithHome } from "@pith/context/node";
import type { McpServer as ConfiguredMcpServer, McpServers } from "@pith/host/settings/settings";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { SessionTarget } from "../../args/args.ts";
import { commands } from "../../commands/commands.ts";
import { type AcpSession, internalError, invalidParams, sessionNotFound, sessionNotOpen } from "./acp-context.ts";
import { buildConfigOptions, createModeState } from "./config-options.ts";
import { type OpenSessionOptions, openAcpSession } from "./session.ts";
import { createIds, createUsageUpdate, replayBranch, toSessionUpdates } from "./updates.ts";

async function announceCommands({ app, sendUpdate }: AcpSession): Promise<void> {
  const builtIn = commands.filter(({ name }) => !HIDDEN_COMMANDS.includes(name)).map(toAvailableCommand);
  const fromExtensions = (app.extensions?.commands ?? []).map(({ name, argumentHint, description }) =>
    toAvailableCommand({ name, description, ...(argumentHint !== undefined && { argumentHint }) }),
  );
  const fromTemplates = ((await app.templates?.list()) ?? []).map(({ name, description }) =>
    toAvailableCommand({ name, description, argumentHint: "[arguments]" }),
  );
  await sendUpdate({
    sessionUpdate: "available_commands_update",
    availableCommands: [
      ...new Map([...fromTemplates, ...fromExtensions, ...builtIn].map((command) => [command.name, command])).values(),
    ],
  });
}

/** An editor has its own user interface for these. */
const HIDDEN_COMMANDS: readonly string[] = ["quit", "keys", "new", "resume"];

function toAvailableCommand({ name, description, argumentHint }: CommandInfo): AvailableCommand {
  return { name, description, ...(argumentHint !== undefined && { input: { hint: argumentHint } }) };
}

interface CommandInfo {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
}

export async function listStoredSessions({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
  const offset = cursor ? Number(cursor) : 0;
  if (!Number.isSafeInteger(offset) || offset < 0) throw invalidParams("unknown cursor; omit it to get the first page");
  const all = await listSessions({ ...(cwd && { cwd }) });
  // Empty and damaged sessions are not listed: there is nothing to open.
  const visible = all.filter(({ firstMessage, damaged }) => firstMessage !== "" && damaged === undefined);
  const page = visible.slice(offset, offset + PAGE_SIZE);
  return {
    sessions: page.map(({ id, cwd: folder, name, firstMessage, modified }) => ({
      sessionId: id,
      cwd: folder,
      title: name ?? firstMessage.slice(0, MAX_TITLE_CHARS),
      updatedAt: new Date(modified).toISOString(),
    })),
    ...(offset + PAGE_SIZE < visible.length && { nextCursor: `${offset + PAGE_SIZE}` }),
  };
}

const PAGE_SIZE = 100;
const MAX_TITLE_CHARS = 80;

/** Accepts only a complete id: an editor must not open files by their path. */
export async function findSessionPath(sessionId: string): Promise<string> {
  const found = await findSession(sessionId, { env: { PITH_HOME: pithHome() } });
  if (found.type !== "found" || found.id !== sessionId) throw sessionNotFound(sessionId);
  return found.path;
}

export type McpServersResult = { readonly type: "servers"; readonly servers: McpServers } | UsageError;

function convertMcpServers(requested: readonly AcpMcpServer[] = []): McpServersResult {
  const servers: Record<string, ConfiguredMcpServer> = {};
  for (const server of requested) {
    const { name } = server;
    if (Object.hasOwn(servers, name)) return usageError(`two MCP servers are named "${name}"; give each a unique name`);
    const converted = convertServer(server);
    if (converted === null)
      return usageError(`MCP server "${name}" uses an unsupported transport; Pith supports stdio and HTTP`);
    Object.defineProperty(servers, name, { value: converted, enumerable: true });
  }
  return { type: "servers", servers };
}

function convertServer(server: AcpMcpServer): ConfiguredMcpServer | null {
  if (!("type" in server)) return { command: server.command, args: server.args, env: toRecord(server.env) };
  return server.type === "http" ? { url: server.url, headers: toRecord(server.headers) } : null;
}

function toRecord(
  list: readonly { readonly name: string; readonly value: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

export interface SessionParams {
  readonly cwd: string;
  readonly mcpServers?: readonly AcpMcpServer[];
}

export class AcpSessions {
  readonly #sessions = new Map<string, AcpSession>();
  #lastOpen: Promise<unknown> = Promise.resolve();

  getSession(id: string): AcpSession {
    const found = this.#sessions.get(id);
    if (!found) throw sessionNotOpen(id);
    return found;
  }

  /** Creates a session. It is not saved if the program was started with `--no-session`. */
  async create(params: SessionParams, options: OpenSessionOptions): Promise<AcpSession> {
    const type = options.args.session.type === "none" ? "none" : "new";
    return await this.#runInOrder(() => this.#openSession({ type }, { ...params, reason: "new" }, options));
  }

  /** Opens a saved session. Returns the open session if it is already open in the same folder. */
  async load(id: string, params: SessionParams, options: OpenSessionOptions): Promise<AcpSession> {
    return await this.#runInOrder(async () => {
      const open = this.#sessions.get(id);
      if (open && open.view.cwd === params.cwd) return open;
      if (open) await this.close(id);
      return await this.#openSession(
        { type: "named", name: await findSessionPath(id) },
        { ...params, reason: "resume" },
        options,
      );
    });
  }

  /** Creates a session that starts with the current state of another one. */
  async fork(id: string, params: SessionParams, options: OpenSessionOptions): Promise<AcpSession> {
    return await this.#runInOrder(async () => {
      const source = this.#sessions.get(id)?.app.agent.session ?? (await findSessionPath(id));
      await requireFolder(params);
      const result = await forkSession(source, { cwd: params.cwd, env: { PITH_HOME: pithHome() } });
      if (result.type !== "forked")
        throw internalError(
          result.type === "held" ? "another process has this session open; close it there first" : result.why,
        );
      return await this.#openSession({ type: "named", name: result.path }, { ...params, reason: "fork" }, options);
    });
  }

  /** Does nothing if the session is not open. */
  async close(id: string): Promise<void> {
    const found = this.#sessions.get(id);
    this.#sessions.delete(id);
    await found?.close();
  }

  async closeAll(): Promise<void> {
    await this.#lastOpen;
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Opens sessions one after another, so that none is opened twice and `closeAll` misses none. */
  async #runInOrder(open: () => Promise<AcpSession>): Promise<AcpSession> {
    const pending = this.#lastOpen.then(open);
    this.#lastOpen = pending.catch(() => undefined);
    return await pending;
  }

  async #openSession(
    target: SessionTarget,
    { reason, ...params }: SessionParams & { readonly reason: SessionReason },
    options: OpenSessionOptions,
  ): Promise<AcpSession> {
    const mcp = convertMcpServers(params.mcpServers);
    if (mcp.type === "mistake") throw invalidParams(mcp.message);
    const request = { session: target, cwd: await requireFolder(params), mcpServers: mcp.servers, reason };
    const acpSession = await openAcpSession(request, options);
    this.#sessions.set(acpSession.id, acpSession);
    return acpSession;
  }
}

async function requireFolder({ cwd }: SessionParams): Promise<string> {
  if (!isAbsolute(cwd)) throw invalidParams(`cwd must be an absolute path, not "${cwd}"`);
  const stats = await stat(cwd).catch(() => null);
  if (!stats?.isDirectory()) throw invalidParams(`cwd must be an existing folder, but ${cwd} is not`);
  return cwd;
}

export async function createSessionResponse({ id, app }: AcpSession): Promise<NewSessionResponse> {
  return {
    sessionId: id,
    modes: createModeState(app.permissions.mode, app.settings.policy),
    configOptions: await buildConfigOptions(app, app),
  };
}

/** Sends the whole branch, including entries that were compacted. */
export async function replaySession({ app, view, sendUpdate }: AcpSession): Promise<void> {
  const { session } = app.agent;
  const branch = await session.store.branchEntries(session.leaf);
  for (const update of replayBranch(session.redact(branch), view)) await sendUpdate(update);
}

/** Sends damage, commands, title and usage of a session. The editor must know the session first. */
export async function sendSessionDetails(session: AcpSession): Promise<void> {
  const damageEvent = session.app.takeDamageEvent();
  if (damageEvent)
    for (const update of toSessionUpdates(damageEvent, session.view, createIds("damage")))
      await session.sendUpdate(update);
  await announceCommands(session);
  const { agent } = session.app;
  const title = await agent.session.store.name();
  if (title) await session.sendUpdate({ sessionUpdate: "session_info_update", title: agent.session.redact(title) });
  const usage = agent.session.leaf === null ? null : createUsageUpdate(agent, null);
  if (usage) await session.sendUpdate(usage);
}
