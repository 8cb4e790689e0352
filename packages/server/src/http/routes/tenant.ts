/** Routes for what belongs to a tenant: its settings, provider keys, audit log, and the legal holds of its sessions. */

import { listAudit } from "../../tenants/audit.ts";
import { liftLegalHold, listLegalHolds, placeLegalHold } from "../../tenants/erasure.ts";
import { deleteProviderKey, listProviderKeys, setProviderKey } from "../../tenants/provider-keys.ts";
import { readTenantSettings, writeTenantSettings } from "../../tenants/settings.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";

export function createTenantRoutes({ database, cipher, operator }: Service): readonly AnyRoute[] {
  return [
    defineRoute({
      ...{
        method: "GET",
        path: "/settings",
        name: "readSettings",
        scope: "admin",
        summary: "Read the settings of the tenant.",
      },
      answers: { 200: schemas.Settings },
      handle: async ({ caller }) => ({ settings: await readTenantSettings(database, caller.tenant) }),
    }),
    defineRoute({
      ...{ method: "PUT", path: "/settings", name: "writeSettings", scope: "admin", action: "settings.write" },
      summary: "Replace the settings of the tenant. They hold from the next run on.",
      body: schemas.AnyObject,
      answers: { 200: schemas.Settings },
      handle: async ({ caller, body }) => {
        const options = { operator: operator.settings ?? {} };
        const result = await writeTenantSettings(database, caller.tenant, body, options);
        if (result.type === "invalid") {
          const errors = result.problems.map((message) => ({ at: "body", message }));
          throw new Problem("invalid-request", result.problems[0] ?? "the settings are not valid", errors);
        }
        return { settings: result.settings };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/keys", name: "listKeys", scope: "admin" },
      summary: "List the providers for which the tenant has saved a key.",
      answers: { 200: schemas.Keys },
      handle: async ({ caller }) => {
        const keys = await listProviderKeys(database, caller.tenant);
        return { keys: keys.map(({ provider, ending, saved }) => ({ provider, ending, saved: saved.toISOString() })) };
      },
    }),
    defineRoute({
      ...{ method: "PUT", path: "/keys/:provider", name: "saveKey", scope: "admin", action: "key.save" },
      summary: "Save the tenant's key for a model provider. It is encrypted, and never shown again.",
      params: schemas.ProviderParams,
      body: schemas.NewKey,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller, params: { provider }, body: { key }, reply }) => {
        const result = await setProviderKey(database, cipher, caller.tenant, { provider, key });
        if (result.type === "invalid") throw new Problem("invalid-request", result.problem);
        return await reply.code(204).send();
      },
    }),
    defineRoute({
      ...{ method: "DELETE", path: "/keys/:provider", name: "deleteKey", scope: "admin", action: "key.delete" },
      summary: "Delete the tenant's key for a model provider.",
      params: schemas.ProviderParams,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller, params: { provider }, reply }) => {
        if (!(await deleteProviderKey(database, caller.tenant, provider))) throw notFound("key");
        return await reply.code(204).send();
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/audit", name: "listAudit", scope: "admin" },
      summary: "List what callers did and what agents were permitted to do, the newest first.",
      query: schemas.AuditQuery,
      answers: { 200: schemas.AuditPage },
      handle: async ({ caller, query: { after, limit = 100, session } }) => {
        if (after !== undefined && !/^\d{1,18}$/.test(after))
          throw new Problem("invalid-request", "`after` is not the `next` of a page");
        const about = { limit, ...(after !== undefined && { after }), ...(session !== undefined && { session }) };
        const found = await listAudit(database, caller.tenant, about);
        const records = found.map(({ at, ...record }) => ({ ...record, at: at.toISOString() }));
        return { records, next: found.length === limit ? (found.at(-1)?.id ?? null) : null };
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/holds", name: "listHolds", scope: "admin", summary: "List the legal holds." },
      answers: { 200: schemas.Holds },
      handle: async ({ caller }) => ({ holds: await listLegalHolds(database, caller.tenant) }),
    }),
    defineRoute({
      ...{ method: "PUT", path: "/sessions/:session/hold", name: "placeHold", scope: "admin", action: "hold.place" },
      summary: "Place a legal hold on a session: it cannot be erased until the hold is lifted.",
      params: schemas.SessionParams,
      body: schemas.NewHold,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller, params: { session }, body: { reason }, reply }) => {
        if (!(await placeLegalHold(database, caller.tenant, { session, reason }))) throw notFound("session");
        return await reply.code(204).send();
      },
    }),
    defineRoute({
      ...{ method: "DELETE", path: "/sessions/:session/hold", name: "liftHold", scope: "admin", action: "hold.lift" },
      summary: "Lift the legal hold of a session.",
      params: schemas.SessionParams,
      answers: { 204: schemas.Nothing },
      handle: async ({ caller, params: { session }, reply }) => {
        if (!(await liftLegalHold(database, caller.tenant, { session }))) throw notFound("session");
        return await reply.code(204).send();
      },
    }),
  ];
}
