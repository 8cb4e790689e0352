/** Routes for sessions: create, list, search, read, fork, import, export and erase. */

import { randomUUID } from "node:crypto";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { Value } from "typebox/value";
import { searchSessions } from "../../store/postgres-search.ts";
import { readInThread } from "../../store/read-session-thread.ts";
import { createSession, listSessions, openSession } from "../../store/sessions.ts";
import { exportSession, importFile } from "../../store/transfer.ts";
import { recordAction } from "../../tenants/audit.ts";
import { eraseSession } from "../../tenants/erasure.ts";
import { requireWholeTenant } from "../authorize.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { readSession, requireStore } from "../sessions.ts";

/** The folder that agents see; each session has its own. */
const FOLDER = "/workspace";

export function createSessionRoutes(service: Service): readonly AnyRoute[] {
  const { database } = service;
  return [
    defineRoute({
      ...{ method: "POST", path: "/sessions", name: "createSession", scope: "write" },
      summary: "Create a session. If it exists already, it is returned.",
      body: schemas.NewSession,
      answers: { 200: schemas.SessionState, 201: schemas.SessionState },
      handle: async ({ caller: { tenant, tokenId }, body: { id = randomUUID(), name }, reply }) => {
        const isNew = await createIfAbsent(service, tenant, { id, name });
        await recordAction(database, tenant, {
          action: "session.create",
          ...toOutcome(isNew),
          session: id,
          token: tokenId,
        });
        void reply.code(isNew ? 201 : 200);
        return (await readSession(database, tenant, id)).view;
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions", name: "listSessions", scope: "read" },
      summary: "List sessions, the last changed first.",
      query: schemas.PageQuery,
      answers: { 200: schemas.SessionPage },
      handle: async ({ caller: { tenant }, query }) => {
        const page = await listSessions(database, tenant, query).catch(explainCursor);
        return {
          next: page.next,
          sessions: page.sessions.map(({ id, name, created, changed, entryCount }) => ({
            ...{ id, ...(name !== undefined && { name }), entryCount },
            ...{ created: created.toISOString(), changed: changed.toISOString() },
          })),
        };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/search", name: "searchSessions", scope: "read" },
      summary: "Search the entries of the last changed sessions for all words.",
      query: schemas.SearchQuery,
      answers: { 200: schemas.Hits },
      handle: async ({ caller: { tenant }, query: { query: text, ...page } }) => ({
        hits: await searchSessions(database, tenant, { text, ...page, signal: AbortSignal.timeout(SEARCH_MS) }),
      }),
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session", name: "readSession", scope: "read" },
      summary: "Read what a session does now.",
      params: schemas.SessionParams,
      answers: { 200: schemas.SessionState },
      handle: async ({ caller: { tenant }, params: { session } }) =>
        (await readSession(database, tenant, session)).view,
    }),
    defineRoute({
      ...{
        method: "DELETE",
        path: "/sessions/:session",
        name: "eraseSession",
        scope: "admin",
      },
      summary: "Erase a session with everything that belongs to it.",
      params: schemas.SessionParams,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller: { tenant, tokenId }, params: { session }, reply }) => {
        const result = await eraseSession(database, tenant, session, { token: tokenId });
        if (result === "held") throw new Problem("held", "lift the legal hold of the session or of the tenant first");
        if (result === "not-found") throw notFound("session");
        return await reply.code(204).send();
      },
    }),
    defineRoute({
      ...{
        method: "POST",
        path: "/sessions/:session/fork",
        name: "forkSession",
        scope: "write",
      },
      summary: "Copy the branch that ends at an entry into a new session. Files of the workspace are not copied.",
      params: schemas.SessionParams,
      body: schemas.NewFork,
      answers: { 200: schemas.SessionState, 201: schemas.SessionState },
      handle: async ({ caller, params: { session }, body: { id = randomUUID(), entryId }, reply }) => {
        const { tenant, tokenId } = caller;
        requireWholeTenant(caller);
        const store = await requireStore(database, tenant, session);
        if (entryId !== undefined && !(await store.entry(entryId))) throw notFound("entry");
        const source = await Session.open(store, { ...nodeRuntime, sessionId: () => id });
        const bytes = await source.fork({ parentSession: session, ...(entryId !== undefined && { leaf: entryId }) });
        const read = await readInThread(bytes);
        if (read.type !== "read")
          throw new Problem("conflict", "the session is damaged or too large; export it and look at the file");
        const imported = await importFile(database, tenant, read.file);
        if ((await requireStore(database, tenant, id)).header.parentSession !== session)
          throw new Problem("conflict", "there is another session of this id already");
        const fork = await readSession(database, tenant, id);
        await database.call("copy_blobs", [tenant, store.session.key, fork.key]);
        const isNew = imported.type === "imported";
        await recordAction(database, tenant, {
          action: "session.fork",
          ...toOutcome(isNew),
          session: id,
          token: tokenId,
        });
        void reply.code(isNew ? 201 : 200);
        return fork.view;
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/sessions/import", name: "importSession", scope: "write" },
      summary: "Import a session file of any version.",
      consumes: "application/x-ndjson",
      maxAtOnce: MAX_IMPORTS,
      body: schemas.SessionFile,
      answers: { 201: schemas.Imported },
      handle: async ({ caller: { tenant, tokenId }, body, reply }) => {
        if (!Buffer.isBuffer(body)) throw new Problem("wrong-type", "send a session file as application/x-ndjson");
        const read = await readInThread(body);
        if (read.type === "damaged") throw new Problem("conflict", "the file is damaged; repair it with `pith repair`");
        if (read.type === "newer-version") throw new Problem("conflict", "a newer version of Pith wrote the file");
        if (read.type === "too-large")
          throw new Problem("too-large", "the file has too many lines, or takes too long to read");
        if (!isId(read.file.id)) throw new Problem("invalid-request", "the id of the session cannot be part of a path");
        const result = await importFile(database, tenant, read.file);
        if (result.type === "exists") throw new Problem("conflict", "there is a session of this id already");
        const action = { action: "session.import", ...toOutcome(true), session: result.id, token: tokenId };
        await recordAction(database, tenant, action);
        void reply.code(201);
        return { id: result.id, entryCount: result.entryCount, skipped: result.skipped.length };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/export", name: "exportSession", scope: "read" },
      summary: "Export a session as the bytes of a session file.",
      params: schemas.SessionParams,
      answers: { 200: { contentType: "application/x-ndjson", schema: schemas.SessionFileText } },
      handle: async ({ caller: { tenant }, params: { session }, reply }) => {
        const store = await requireStore(database, tenant, session);
        const bytes = await exportSession(store, { runtime: nodeRuntime });
        return await reply.type("application/x-ndjson").send(Buffer.from(bytes));
      },
    }),
  ];
}

/** These are recorded afterwards, because the log names only sessions that exist. */
function toOutcome(isNew: boolean): { readonly outcome: string } {
  return { outcome: isNew ? "done" : "repeated" };
}

/** Each may have a file in memory, and a thread. */
const MAX_IMPORTS = 4;

const isId = (id: string): boolean => Value.Check(schemas.Id, id);

const SEARCH_MS = 20_000;

function explainCursor(error: unknown): never {
  throw error instanceof Error && error.message.startsWith("`after`")
    ? new Problem("invalid-request", error.message)
    : error;
}

/** Returns whether it is new. Two requests at once create it once. */
async function createIfAbsent(
  { database }: Service,
  tenant: string,
  { id, name }: { readonly id: string; readonly name: string | undefined },
): Promise<boolean> {
  const existing = await openSession(database, tenant, { id, mode: "read" });
  if (existing) return false;
  const created = await createSession(database, tenant, { cwd: FOLDER, id, runtime: nodeRuntime }).catch(
    async (error: unknown) => {
      if (await openSession(database, tenant, { id, mode: "read" })) return null;
      throw error;
    },
  );
  if (!created) return false;
  if (name) await (await Session.open(created, nodeRuntime)).append({ type: "session_info", name });
  await created.close();
  return true;
}
