/** Routes that show what is in a session: its tree, its context, its words, and what a compaction would do. */

import { buildSessionContext, contextSize, createBudget, type Entry, previewCompaction, Session } from "@pith/context";
import { entryText } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { openSessionModel } from "@pith/host/session-model";
import { createLimitsForModel } from "@pith/host/settings/settings";
import { locateFolders, locateSession } from "../../agents/folders.ts";
import { createSearch } from "../../store/postgres-search.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { readPage, requireStore } from "../sessions.ts";

export function createContextRoutes(service: Service): readonly AnyRoute[] {
  const { database } = service;
  return [
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/tree", name: "readTree", scope: "read" },
      summary: "List the entries of all branches with their parents and the beginnings of their texts.",
      params: schemas.SessionParams,
      query: schemas.SeqQuery,
      answers: { 200: schemas.Tree },
      handle: async ({ caller, params, query }) => {
        const store = await requireStore(database, caller.tenant, params.session);
        const [leaf, labels, page] = [await store.leaf(), await store.labels(), await readPage(store, query)];
        const nodes = page.entries.map(({ seq, entry }) => toNode(seq, entry, labels.get(entry.id)));
        return { leaf, nodes, next: page.next };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/context", name: "readContext", scope: "read" },
      summary: "Read what the model would get with the next message, and how much of its context window that is.",
      params: schemas.SessionParams,
      answers: { 200: schemas.Context },
      handle: async ({ caller, params }) => {
        const { session, budget, model } = await openForModel(service, caller.tenant, params.session);
        const { tokens, isEstimate } = contextSize(session.branch, budget);
        const limit = Number.isFinite(budget.limit) ? budget.limit : null;
        const { messages } = buildSessionContext(session.branch);
        const { provider, model: name, contextWindow } = model;
        return { tokens, isEstimate, contextWindow, limit, model: `${provider}/${name}`, messages };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/compact/preview", name: "previewCompaction", scope: "read" },
      summary: "Read what a compaction would do now. No model is called.",
      params: schemas.SessionParams,
      query: schemas.PreviewQuery,
      answers: { 200: schemas.Preview },
      handle: async ({ caller, params, query: { firstKeptEntryId } }) => {
        const { session, budget } = await openForModel(service, caller.tenant, params.session);
        if (firstKeptEntryId !== undefined && !(await session.store.entry(firstKeptEntryId))) throw notFound("entry");
        const preview = previewCompaction(session.branch, budget, {
          reason: "asked",
          ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
        });
        if (preview.type === "nothing-to-do") return { type: preview.type, why: preview.why };
        if (preview.type !== "planned") return { type: preview.type };
        return { type: "planned", preview: { receipt: preview.receipt, summary: preview.summaryText } };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/recall", name: "recall", scope: "read" },
      summary: "Search the entries of a session for any of the words, on all branches and before all compactions.",
      params: schemas.SessionParams,
      query: schemas.SearchQuery,
      answers: { 200: schemas.Hits },
      handle: async ({ caller, params, query: { query: text, offset = 0, limit = 20 } }) => {
        const store = await requireStore(database, caller.tenant, params.session);
        // What the log contains is redacted.
        const redaction = { redact: <Value>(value: Value): Value => value };
        const search = createSearch(database, store.session, { redaction });
        const options = { signal: AbortSignal.timeout(SEARCH_MS), onProgress: () => {} };
        const found = await search({ text, offset, limit }, options);
        if (found.type === "failed") throw new Problem("unavailable", found.why);
        return { hits: found.hits.map(({ id, excerpt }) => ({ entryId: id, text: excerpt })), total: found.count };
      },
    }),
  ];
}

const SEARCH_MS = 20_000;

function toNode(seq: number, entry: Entry, label: string | undefined) {
  const { id, parentId, type, timestamp } = entry;
  const text = entryText(entry).slice(0, MAX_NODE_CHARS);
  return {
    ...{ seq, id, parentId, type, timestamp, text },
    ...(entry.type === "message" && { role: entry.message.role }),
    ...(label !== undefined && { label }),
  };
}

const MAX_NODE_CHARS = 200;

/** Opens a session for reading, with the limits of the model that would go on. */
async function openForModel({ database, readTenant, folder, environment }: Service, tenant: string, id: string) {
  const store = await requireStore(database, tenant, id);
  const session = await Session.open(store, nodeRuntime);
  await session.loadState();
  const { settings, keys } = await readTenant(tenant);
  const { home } = locateFolders(locateSession(store.session, folder));
  const { model, error } = await openSessionModel(session, { settings, keys, home, environment });
  if (error !== null) throw new Problem("conflict", error);
  const limits = createLimitsForModel(settings.compaction)(model);
  return { session, model, budget: createBudget(limits, { contextWindow: model.contextWindow, model }) };
}
