/** Opens or creates the requested session with its model, builds the resume hint, and measures a session in the background. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MemoryStore, type Model, type Redaction, Session, type ThinkingLevel } from "@pith/context";
import { measureInSteps } from "@pith/context/host";
import { createSession, listSessions, nodeRuntime, openStore, pithHome } from "@pith/context/node";
import type { Damage } from "@pith/context/store";
import { chooseModel, createAbsentModel } from "@pith/host/models";
import type { CliArgs, SessionTarget } from "../args/args.ts";
import { isSubAgentSession } from "../sessions/sub-agent-ids.ts";
import type { AppOptions } from "./app-options.ts";

export type OpenSessionResult =
  | {
      readonly type: "opened";
      readonly session: Session;
      /** The session's file; null if the session is not saved. */
      readonly path: string | null;
      /** The damage found in the file when it was opened. */
      readonly damage: readonly Damage[];
      readonly close: () => Promise<void>;
    }
  | StartFailure;

export interface StartFailure {
  readonly type: "failed";
  readonly message: string;
  /** The exit code if the cause is not a usage error, such as a full disk or another writer. Absent if it is one. */
  readonly code?: 1;
}

export interface OpenSessionOptions {
  readonly cwd: string;
  /** The id of a new session. Not used if an existing session is opened. */
  readonly id: string;
  /** Redacts everything that is written to the session. */
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
      // Skips sessions without a message, and sessions of sub-agents.
      const latest = (await listSessions({ cwd })).find(
        ({ firstMessage, id }) => firstMessage && !isSubAgentSession(id),
      );
      return latest
        ? toOpenSessionResult(await openStore(latest.path), redaction)
        : createFailure("this folder has no sessions yet; start one without -c");
    }
    case "choose":
      return createFailure("specify a session with --session ID");
    case "named": {
      const { findSession, requireSessionFile } = await import("../sessions/find-session.ts");
      const home = pithHome();
      const fileResult = await requireSessionFile(await findSession(target.name, { cwd, home }), home);
      return fileResult.type === "found"
        ? toOpenSessionResult(await openStore(fileResult.path), redaction)
        : createFailure(fileResult.message);
    }
  }
}

async function toOpenSessionResult(
  outcome: Awaited<ReturnType<typeof openStore>>,
  redaction: Redaction | undefined,
): Promise<OpenSessionResult> {
  if (outcome.type === "held")
    return {
      ...createFailure(`process ${outcome.owner.pid} is writing to this session; stop it or start another session`),
      code: 1,
    };
  if (outcome.type !== "opened") return { ...createFailure(outcome.why), code: 1 };
  const { store } = outcome;
  const damage = await store.damageOnOpen();
  const session = await Session.open(store, nodeRuntime, { redaction });
  return { type: "opened", session, path: store.path, damage, close: async () => void (await store.close()) };
}

/** Deletes the file of a new session on close if nothing was written to it, as after `/help`: empty sessions would fill the list. */
function deleteWhenEmpty(outcome: OpenSessionResult): OpenSessionResult {
  if (outcome.type !== "opened") return outcome;
  const { session, path, close } = outcome;
  const closeAndDelete = async (): Promise<void> => {
    const isEmpty = path !== null && session.leaf === null && (await session.store.leaf()) === null;
    // The file is deleted before `close` releases the lock, so that no other process can write to it in between.
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
  /** The level that the settings name, or the default level of a new session. Undefined if the session keeps its own. */
  readonly thinkingLevel: ThinkingLevel | undefined;
  /** Notes from opening the model. */
  readonly modelNotes: readonly string[];
  /** Why no model could be opened; null if one was. */
  readonly modelError: string | null;
}

/**
 * Opens an existing session before the model, because the session records its last model. Creates a new session only after
 * the model is open, so that a missing model leaves no file.
 */
export async function openSessionAndModel(
  { session: target }: CliArgs,
  options: Pick<AppOptions, "cwd" | "home" | "environment" | "settings" | "vault" | "costLimit" | "needsModel">,
): Promise<SessionAndModel> {
  const { cwd, home, environment, settings, vault, costLimit, needsModel = true } = options;
  const isNew = target.type === "new" || target.type === "none";
  const id = nodeRuntime.sessionId();
  const openOptions = { cwd, id, redaction: vault ?? undefined };
  const existing = isNew ? null : await openSession(target, openOptions);
  if (existing?.type === "failed") return existing;
  const { model: lastModel } = existing?.session.branch.state ?? { model: null };
  const previousModel = lastModel ? `${lastModel.provider}/${lastModel.modelId}` : undefined;
  const sessionId = existing?.session.store.header.id ?? id;
  const modelOptions = { environment, home, vault, sessionId, previousModel, costLimit };
  const modelResult = await chooseModel(settings, modelOptions);
  if (modelResult.type !== "opened" && needsModel) {
    await existing?.close();
    return { type: "failed", message: modelResult.message };
  }
  const openedSession = existing ?? (await openSession(target, openOptions));
  if (openedSession.type === "failed") return openedSession;
  if (modelResult.type === "opened")
    return {
      ...openedSession,
      model: modelResult.model,
      thinkingLevel:
        settings.thinking ?? (isNew && modelResult.factsResult.facts.reasoning ? DEFAULT_THINKING : undefined),
      modelNotes: [...describeResolvedModel(settings.model, modelResult.model), ...modelResult.notes()],
      modelError: null,
    };
  return {
    ...openedSession,
    model: createAbsentModel(modelResult.message, lastModel),
    thinkingLevel: settings.thinking,
    modelNotes: [],
    modelError: modelResult.message,
  };
}

/** For a new session with a model that can think. An existing session keeps its level, so that its cached prefix stays valid. */
const DEFAULT_THINKING: ThinkingLevel = "medium";

/** Says which model is used if the setting is only a part of its name. */
function describeResolvedModel(requestedModel: string | undefined, { provider, model }: Model): readonly string[] {
  if (requestedModel === undefined || requestedModel.split("/").slice(1).join("/") === model) return [];
  return [`Using ${provider}/${model} for "${requestedModel}".`];
}

export interface ResumeHint {
  /** Tells the user how to continue the session; null if the session is not saved. */
  readonly resumeHint: string | null;
  /** Flags that the user must repeat to continue the session. */
  readonly resumeFlags: string;
}

export function buildResumeHint({ session, overrides: { baseUrl } }: CliArgs, { store }: Session): ResumeHint {
  // The base URL is never saved in a session: a session file may come from an untrusted source. The user must repeat the flag.
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  if (session.type === "none") return { resumeHint: null, resumeFlags: flags };
  const { id } = store.header;
  // AGT14: `-c` never continues a sub-agent's session.
  const sessionFlag = isSubAgentSession(id) ? `--session ${id.slice(0, 8)}` : "-c";
  return { resumeHint: `session ${id.slice(0, 8)}; continue with: pith -p ${sessionFlag}${flags}`, resumeFlags: flags };
}

/** Measures the branch in short slices, after the work that is already scheduled. Does not keep the process alive. */
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

/** Short enough that typing is not delayed. The pause leaves time for other work. */
const SLICE_MS = 4;

const PAUSE_MS = 12;
