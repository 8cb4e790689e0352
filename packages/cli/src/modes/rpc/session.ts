/** Opens the session of an RPC client, forwards its events, and switches to another session. */

import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "@pith/agent";
import type { RpcEvent } from "@pith/client";
import type { Redaction } from "@pith/context";
import { realFiles, sessionCwd } from "@pith/context/node";
import { openDesk, type Ready, readied } from "../../app/start.ts";
import { shellLinesOf } from "../../app/user-shell.ts";
import type { SessionWish, Wish } from "../../args/args.ts";
import { atRest, toWire } from "../../protocol/events.ts";
import { looked } from "../../sessions/find-session.ts";
import type { Terminal } from "../../text/process-io.ts";
import { type Chosen, type Going, type Gone, hold, type Seat } from "./rpc-context.ts";
import { type Questions, rpcAsk, rpcUi } from "./ui.ts";

export type SessionFolder =
  | { readonly type: "found"; readonly cwd: string }
  | { readonly type: "failed"; readonly message: string };

/** A resumed session runs in its own folder, where its files are. */
export async function folderOf(path: string): Promise<SessionFolder> {
  const cwd = await looked(path, async ({ header }) => sessionCwd(path, header, realFiles));
  if (typeof cwd !== "string") return { type: "failed", message: cwd.message };
  if (await isFolder(cwd)) return { type: "found", cwd };
  const message = `the folder of this session is gone: ${cwd}; start Pith where it shall go on, with --session`;
  return { type: "failed", message };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false, // Not there, or closed to us: nobody can work in it.
  );
}

export interface SeatParts extends Pick<Seat, "tell" | "room" | "quit" | "fault"> {
  readonly terminal: Terminal;
  readonly questions: Questions;
  /** From now on nothing that it holds for a secret is told to anybody. */
  readonly conceal: (redaction: Redaction) => void;
}

export type OpenedSeat =
  | { readonly type: "opened"; readonly seat: Seat; readonly close: () => Promise<void> }
  | { readonly type: "failed"; readonly code: number; readonly message: string };

export async function openSeat(wish: Wish, parts: SeatParts): Promise<OpenedSeat> {
  const retry = { isEnabled: true, isWaiting: false };
  const first = await opened(wish, { parts, retry, cwd: process.cwd() });
  if (first.type === "failed") return first;
  let now = first;
  let chosen: Chosen = {};
  await now.begin({ reason: "startup" });
  const seat: Seat = {
    get ready() {
      return now.ready;
    },
    get desk() {
      return now.desk;
    },
    choose: (more) => {
      chosen = { ...chosen, ...more };
      hold(more, now.ready);
    },
    go: async (session, reason) => {
      const gone = await next({ session, reason }, { now, wish, parts, retry, chosen });
      if (gone.type === "failed") return gone;
      now = gone.session;
      return { type: "gone" };
    },
    ...{ tell: parts.tell, room: parts.room, quit: parts.quit, fault: parts.fault, retry },
    unask: () => parts.questions.leave(),
  };
  return { type: "opened", seat, close: () => now.close({ reason: "quit" }) };
}

interface Opening {
  readonly parts: SeatParts;
  readonly retry: Seat["retry"];
  /** The folder to work in. */
  readonly cwd: string;
}

type Opened = Extract<Awaited<ReturnType<typeof opened>>, { type: "open" }>;

interface Leaving extends Omit<Opening, "cwd"> {
  readonly now: Opened;
  readonly wish: Wish;
  readonly chosen: Chosen;
}

async function next(
  { session, reason }: { readonly session: SessionWish; readonly reason: Going },
  { now, wish, chosen, ...opening }: Leaving,
): Promise<Extract<Gone, { type: "failed" }> | { readonly type: "gone"; readonly session: Opened }> {
  const here = now.ready.place.cwd;
  const isElsewhere = reason === "resume" && session.type === "named";
  const folder = isElsewhere ? await folderOf(session.name) : ({ type: "found", cwd: here } as const);
  if (folder.type === "failed") return folder;
  const { cwd } = folder;
  // Who trusts one folder has said nothing of another.
  const trusts = wish.trusts && cwd === process.cwd();
  const coming = await opened({ ...wish, trusts, words: "", files: [], session }, { ...opening, cwd });
  if (coming.type === "failed") return { type: "failed", message: coming.message };
  hold(chosen, coming.ready);
  const { sessionPath } = coming.ready.built;
  const before = now.ready.built.sessionPath;
  await now.close({ reason, ...(sessionPath !== null && { targetSessionFile: sessionPath }) });
  await coming.begin({ reason, ...(before !== null && { previousSessionFile: before }) });
  return { type: "gone", session: coming };
}

async function opened(wish: Wish, { parts, retry, cwd }: Opening) {
  const { terminal, questions, tell } = parts;
  let ready: Ready | null = null;
  const hearing = hear(parts, (event) => {
    if (event.type === "auto_retry_start") retry.isWaiting = true;
    if (event.type === "auto_retry_end" || event.type === "agent_settled") retry.isWaiting = false;
    if (event.type === "auto_retry_start" && !retry.isEnabled) void ready?.built.agent.abort();
  });
  const note = (line: string): void => terminal.note(`pith: ${line}`);
  const came = await readied(wish, {
    ...{ listen: hearing.listen, note, ask: rpcAsk(questions), ui: rpcUi(questions), needsModel: false },
    ...({ arrival: "later", cwd } as const),
    conceal: parts.conceal,
  });
  if (came.type !== "ready")
    return { type: "failed", code: came.type === "mistake" ? 2 : 1, message: came.message } as const;
  ready = came;
  const { built } = came;
  const begin = async (arrival: Parameters<Ready["arrive"]>[0]): Promise<void> => {
    tell(built.agent.session.store.header);
    const damaged = came.takeDamage();
    if (damaged) tell(damaged);
    hearing.open();
    await came.arrive(arrival);
  };
  const close = async (leaving: Parameters<typeof built.close>[0]): Promise<void> => {
    shellLinesOf(came).stopAll();
    await built.agent.abort();
    // The last that is told of a run comes behind its end.
    while (built.agent.isRunning) await sleep(OFTEN_MS);
    await shellLinesOf(came).ended();
    await built.close(leaving);
    hearing.shut();
  };
  const desk = openDesk(built, { ...came.place, sources: came.sources, note });
  return { type: "open", ready: came, desk, begin, close } as const;
}

const OFTEN_MS = 5;

/** What happens before whoever reads knows the session comes behind its header; what happens once it is left is not theirs. */
function hear({ tell, room }: SeatParts, heard: (event: AgentEvent) => void) {
  let held: RpcEvent[] | null = [];
  let isLeft = false;
  let state = atRest;
  return {
    listen: (event: AgentEvent): Promise<void> | undefined => {
      if (isLeft) return undefined;
      const wired = toWire(state, event);
      state = wired.state;
      for (const line of wired.lines) held ? held.push(line) : tell(line);
      heard(event);
      return room();
    },
    open: (): void => {
      for (const line of held ?? []) tell(line);
      held = null;
    },
    shut: (): void => {
      isLeft = true;
    },
  };
}
