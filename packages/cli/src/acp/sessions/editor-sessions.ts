/** All sessions that an editor has open, several at once, each in a folder of its own. */

import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { McpServer, NewSessionResponse } from "@agentclientprotocol/sdk/unstable";
import type { SessionReason } from "@pith/agent";
import { forkSession, pithHome } from "@pith/context/node";
import type { SessionWish } from "../../asking/wish.ts";
import { modeState } from "../choosing/mode-state.ts";
import { configOptions } from "../choosing/options.ts";
import { failing, notOpen, wrongly } from "../refusals.ts";
import { announceCommands } from "../saying/commands-announced.ts";
import { replay } from "../updates/replay.ts";
import { usageUpdate } from "../updates/usage-update.ts";
import type { EditorSession } from "./editor-session.ts";
import { pathOf } from "./listed.ts";
import { mcpGiven } from "./mcp-given.ts";
import { type OpeningParts, openEditorSession } from "./open-editor-session.ts";

export interface Placed {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
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
    modes: modeState(ready.built.permissions.mode),
    configOptions: await configOptions(desk, ready.place),
  };
}

/** Everything of its branch, also what was compacted. */
export async function shownAgain({ ready, sight, tell }: EditorSession): Promise<void> {
  const { session } = ready.built.agent;
  const branch = await session.store.branch(session.leaf);
  for (const update of replay(session.redacted(branch), sight)) await tell(update);
}

/** What an editor shows beside a session, once it knows of it. */
export async function introduced(session: EditorSession): Promise<void> {
  await announceCommands(session);
  const { agent } = session.ready.built;
  const title = await agent.session.store.name();
  if (title) await session.tell({ sessionUpdate: "session_info_update", title: agent.session.redacted(title) });
  const usage = agent.session.leaf === null ? null : usageUpdate(agent, null);
  if (usage) await session.tell(usage);
}
