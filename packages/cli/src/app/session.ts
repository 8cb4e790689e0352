/** Opens or creates the requested session together with the model that answers in it. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MemoryStore, type Model, type Redaction, Session } from "@pith/context";
import { measureInSteps, type SessionState } from "@pith/context/host";
import { createSession, listSessions, nodeRuntime, openStore, pithHome } from "@pith/context/node";
import type { Damage } from "@pith/context/store";
import type { CliArgs, SessionTarget } from "../args/args.ts";
import { chooseModel } from "../models/open-model.ts";
import { isSubAgentSession } from "../sessions/sub-agent-ids.ts";
import type { AppOptions } from "./app-options.ts";

export type OpenSessionResult =
  | {
      readonly type: "opened";
      readonly session: Session;
      /** Its file; null where nothing is kept. */
      readonly path: string | null;
      /** What opening found to be wrong with the file. */
      readonly damage: readonly Damage[];
      readonly close: () => Promise<void>;
    }
  | StartFailure;

export interface StartFailure {
  readonly type: "failed";
  readonly message: string;
  /** The exit code, where it is no mistake of whoever called: a full disk, another writer. */
  readonly code?: 1;
}

export interface OpenSessionOptions {
  readonly cwd: string;
  /** Of a new one. */
  readonly id: string;
  /** What is written passes it. */
  readonly redaction?: Redaction | undefined;
}

export async function openSession(
  target: SessionTarget,
  { cwd, id, redaction }: OpenSessionOptions,
): Promise<OpenSessionResult> {
  const runtime = { ...nodeRuntime, sessionId: () => id };
  switch (target.type) {
    case "none":
      return {
        type: "opened",
        session: await Session.open(MemoryStore.create(runtime, { cwd }), nodeRuntime, { redaction }),
        path: null,
        damage: [],
        close: async () => {},
      };
    case "new":
      return deleteWhenEmpty(await toOpenSessionResult(await createSession({ cwd, runtime }), redaction));
    case "last": {
      // One that was stopped before a word was said is nobody's last, nor is one that a sub-agent worked in.
      const latest = (await listSessions({ cwd })).find(
        ({ firstMessage, id }) => firstMessage && !isSubAgentSession(id),
      );
      return latest
        ? toOpenSessionResult(await openStore(latest.path), redaction)
        : createFailure("there is no session of this folder yet; begin one without -c");
    }
    case "choose":
      return createFailure("say which session: --session ID");
    case "named": {
      const { findSession, requireSessionFile } = await import("../sessions/find-session.ts");
      const home = pithHome();
      const found = await requireSessionFile(await findSession(target.name, { cwd, home }), home);
      return found.type === "found"
        ? toOpenSessionResult(await openStore(found.path), redaction)
        : createFailure(found.message);
    }
  }
}

async function toOpenSessionResult(
  outcome: Awaited<ReturnType<typeof openStore>>,
  redaction: Redaction | undefined,
): Promise<OpenSessionResult> {
  if (outcome.type === "held")
    return { ...createFailure(`process ${outcome.owner.pid} writes this session; end it, or begin another`), code: 1 };
  if (outcome.type !== "opened") return { ...createFailure(outcome.why), code: 1 };
  const { store } = outcome;
  const damage = await store.damageOnOpen();
  const session = await Session.open(store, nodeRuntime, { redaction });
  return { type: "opened", session, path: store.path, damage, close: async () => void (await store.close()) };
}

/** A new one in which nothing was written, as after `/help`, leaves no file: it would be one more to look at, and empty. */
function deleteWhenEmpty(outcome: OpenSessionResult): OpenSessionResult {
  if (outcome.type !== "opened") return outcome;
  const { session, path, close } = outcome;
  const closeAndDelete = async (): Promise<void> => {
    const isEmpty = path !== null && session.leaf === null && (await session.store.leaf()) === null;
    // While nobody else may write it.
    if (isEmpty) await rm(path, { force: true });
    await close();
    if (isEmpty) await rm(join(dirname(path), ".pith", basename(path)), { recursive: true, force: true });
  };
  return { ...outcome, close: closeAndDelete };
}

function createFailure(message: string): StartFailure {
  return { type: "failed", message };
}

export type SessionAndModel = (Extract<OpenSessionResult, { type: "opened" }> & SessionModel) | StartFailure;

export interface SessionModel {
  readonly model: Model;
  /** What was noticed on the way to it. */
  readonly modelNotes: readonly string[];
  readonly modelError: string | null;
}

/** A session that exists says who spoke in it; a new one is made only where somebody will speak. */
export async function openSessionAndModel({ session: target }: CliArgs, options: AppOptions): Promise<SessionAndModel> {
  const { cwd, home, environment, settings, vault, needsModel = true } = options;
  const isNew = target.type === "new" || target.type === "none";
  const id = nodeRuntime.sessionId();
  const openOptions = { cwd, id, redaction: vault ?? undefined };
  const existing = isNew ? null : await openSession(target, openOptions);
  if (existing?.type === "failed") return existing;
  const { model: lastModel } = existing?.session.branch.state ?? { model: null };
  const previousModel = lastModel ? `${lastModel.provider}/${lastModel.modelId}` : undefined;
  const sessionId = existing?.session.store.header.id ?? id;
  const modelResult = await chooseModel(settings, { environment, home, sessionId, previousModel });
  if (modelResult.type !== "opened" && needsModel) {
    await existing?.close();
    return { type: "failed", message: modelResult.message };
  }
  const openedSession = existing ?? (await openSession(target, openOptions));
  if (openedSession.type === "failed") return openedSession;
  if (modelResult.type === "opened")
    return { ...openedSession, model: modelResult.model, modelNotes: modelResult.notes(), modelError: null };
  return {
    ...openedSession,
    model: createAbsentModel(modelResult.message, lastModel),
    modelNotes: [],
    modelError: modelResult.message,
  };
}

/** For what needs no model: every request fails. `spoke`: who did in this session, so that it is not taken for another's. */
export function createAbsentModel(message: string, previousModel: SessionState["model"] = null): Model {
  return {
    api: "none",
    provider: previousModel?.provider ?? "none",
    model: previousModel?.modelId ?? "none",
    contextWindow: 0,
    maxTokens: 0,
    async *stream() {
      yield { type: "reply-failed", failure: { kind: "refused", message } };
    },
  };
}

export interface ResumeHint {
  /** For people; null where nothing is kept. */
  readonly resumeHint: string | null;
  /** Flags that must be said again then. */
  readonly resumeFlags: string;
}

export function buildResumeHint({ session, overrides: { baseUrl } }: CliArgs, { store }: Session): ResumeHint {
  // An address is never kept with a session, which may come from anybody: it has to be said again.
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  if (session.type === "none") return { resumeHint: null, resumeFlags: flags };
  const { id } = store.header;
  // AGT14: a sub-agent's is nobody's last.
  const sessionFlag = isSubAgentSession(id) ? `--session ${id.slice(0, 8)}` : "-c";
  return { resumeHint: `session ${id.slice(0, 8)}; go on with pith -p ${sessionFlag}${flags}`, resumeFlags: flags };
}

/** Begins once what is under way has had its turn. Keeps no program running. */
export function measureInBackground({ branch }: Pick<Session, "branch">): void {
  const steps = measureInSteps(branch);
  const measureSlice = (): void => {
    const deadline = performance.now() + SLICE_MS;
    while (performance.now() < deadline) if (steps.next().done) return;
    scheduleSlice();
  };
  const scheduleSlice = (): void => void setTimeout(measureSlice, PAUSE_MS).unref();
  scheduleSlice();
}

/** Short enough to be noticed by nobody who types, with time for everything else in between. */
const SLICE_MS = 4;

const PAUSE_MS = 12;
