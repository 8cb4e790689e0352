/** Puts a server together: the HTTP API, a worker that runs agents, and the live streams between them. */

import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { PermissionMode, Tool } from "@pith/agent";
import type { ProviderKeys } from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import type { FastifyInstance } from "fastify";
import { createFileRemover } from "./agents/folders.ts";
import { createAgentOpener } from "./agents/open-agent.ts";
import { createApp, type HttpOptions } from "./http/app.ts";
import { describeError } from "./http/problems.ts";
import { createRoutes } from "./http/routes.ts";
import type { Service } from "./http/service.ts";
import { openLiveFeed } from "./live/feed.ts";
import { openLivePublisher } from "./live/publisher.ts";
import { openDbosWake } from "./runs/dbos-wake.ts";
import type { Wake } from "./runs/wake.ts";
import { startWorker, type Worker } from "./runs/worker.ts";
import { connect } from "./store/connect.ts";
import { createKeyCipher } from "./tenants/provider-keys.ts";
import { createTenantReader, type OperatorConfiguration } from "./tenants/read-tenant.ts";

/** Options of `createServer`. */
export interface ServerOptions extends AgentPolicy {
  /** Where PostgreSQL is, as the role of the application. Connects directly; a pooler in transaction mode is not supported. */
  readonly databaseUrl: string;
  /** The folder for the workspaces and homes of all tenants. All workers need the same, and nothing else may be in it. */
  readonly folder: string;
  /** Encrypts the provider keys of tenants: 32 bytes in base64 each. The first encrypts, all decrypt. Kept outside the database. */
  readonly encryptionKeys: readonly string[];
  /** The variables that commands of agents see. Default: only `PATH`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** False: this process runs no agents. Default: a worker with 50 sessions at once. */
  readonly worker?: false | { readonly id?: string; readonly concurrency?: number };
  /** False: this process has no HTTP API. */
  readonly http?: false | HttpOptions;
  /** Receives errors that no request has caused. Default: they are logged. */
  readonly onError?: (error: unknown) => void;
}

/** What all agents of a server are. */
export interface AgentPolicy {
  /** Tools besides Pith's. */
  readonly tools?: readonly Tool[];
  /** Replaces Pith's system prompt. What a tenant has set as instructions is added. */
  readonly systemPrompt?: string;
  /** As `provider/model`; `*` matches any characters. Tenants choose among them, and the first is the default. Default: all. */
  readonly models?: readonly string[];
  readonly permissions?: {
    /** The default of tenants. Default: `edit`. */
    readonly mode?: Exclude<PermissionMode, "all">;
    /** Rules such as `bash(npm test)`. A deny rule overrides every allow rule. */
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
  };
  /** Further settings, such as `tools` or `compaction`, as in the settings file of `pith`. */
  readonly settings?: Settings;
  /** Keys of model providers for tenants without their own. */
  readonly providerKeys?: ProviderKeys;
}

/** A running server. */
export interface Server {
  /** The HTTP application, to add routes and pages. Null without HTTP. */
  readonly app: FastifyInstance | null;
  /** Null if this process runs no agents. */
  readonly worker: Worker | null;
  /** Starts to listen, and returns the URL. */
  listen(options?: { readonly host?: string; readonly port?: number }): Promise<string>;
  /** Accepts nothing more, ends the runs of its worker before their next requests, and leaves them to others. */
  close(): Promise<void>;
}

const DEFAULT_CONCURRENCY = 50;

/** Rejects if the database cannot be reached or has no tables: run `pith-server migrate` once per version. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { databaseUrl: connectionString, http = {}, onError = logError } = options;
  const database = connect({ connectionString });
  const workerId = options.worker === false ? undefined : (options.worker?.id ?? randomUUID());
  const wake = await openDbosWake({ connectionString, ...(workerId !== undefined && { worker: workerId }) });
  const cipher = createKeyCipher(options.encryptionKeys);
  const operator = createOperatorConfiguration(options);
  const readTenant = createTenantReader({ database, cipher, operator });
  const closers: (() => Promise<unknown>)[] = [() => database.close(), () => wake.close()];
  let isStopping = false;
  const close = async (): Promise<void> => {
    isStopping = true;
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  try {
    const parts: ServerParts = {
      database,
      wake,
      cipher,
      operator,
      readTenant,
      onError,
      onClose: (end) => closers.push(end),
    };
    const worker = workerId === undefined ? null : await startAgents(workerId, parts, options);
    const app = http === false ? null : await startHttp(http, { ...parts, isStopping: () => isStopping }, options);
    return { app, worker, listen: (address) => listen(app, address), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the worker and the HTTP API of a server share. */
interface ServerParts extends Pick<Service, "database" | "wake" | "cipher" | "operator" | "readTenant"> {
  readonly wake: Wake;
  readonly onError: (error: unknown) => void;
  /** The last one that was started is closed first. */
  readonly onClose: (close: () => Promise<unknown>) => void;
}

async function startAgents(
  id: string,
  { database, wake, readTenant, onError, onClose }: ServerParts,
  { databaseUrl: connectionString, folder, worker: choices, ...options }: ServerOptions,
): Promise<Worker> {
  const { tools, systemPrompt, permissions, environment = DEFAULT_ENVIRONMENT } = options;
  const live = await openLivePublisher({ connectionString, onError });
  onClose(() => live.close());
  const openAgent = createAgentOpener({
    ...{ database, folder, environment, readTenant },
    ...(tools && { tools }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(permissions && { rules: { allow: permissions.allow ?? [], deny: permissions.deny ?? [] } }),
  });
  const concurrency = (choices || undefined)?.concurrency ?? DEFAULT_CONCURRENCY;
  const removeFiles = createFileRemover(folder);
  const worker = await startWorker({ database, wake, live, openAgent, concurrency, onError, id, removeFiles });
  onClose(() => worker.stop());
  return worker;
}

async function startHttp(
  http: HttpOptions,
  { isStopping, onError, onClose, ...parts }: ServerParts & { readonly isStopping: () => boolean },
  { databaseUrl: connectionString, folder, environment = DEFAULT_ENVIRONMENT }: ServerOptions,
): Promise<FastifyInstance> {
  const feed = await openLiveFeed({ connectionString, database: parts.database, onError });
  onClose(() => feed.close());
  const service: Service = { ...parts, feed, live: feed, folder, environment };
  const app = await createApp(service, createRoutes(service, http), { ...http, isStopping });
  onClose(() => app.close());
  return app;
}

const DEFAULT_ENVIRONMENT = { PATH: process.env.PATH };

/** The first model is the default. A policy holds for what sessions and tenants name, too. */
function createOperatorConfiguration({
  models,
  permissions,
  settings = {},
  providerKeys,
}: AgentPolicy): OperatorConfiguration {
  const [first] = models ?? [];
  const { baseUrl } = settings;
  const modelPolicy = models && { allow: models, ...(baseUrl !== undefined && { baseUrls: [baseUrl] }) };
  return {
    settings: {
      ...(first !== undefined && !first.includes("*") && { model: first }),
      ...(permissions?.mode && { permissionMode: permissions.mode }),
      ...settings,
      ...(modelPolicy && { policy: { path: "the options of this server", ...settings.policy, models: modelPolicy } }),
    },
    ...(providerKeys && { keys: providerKeys }),
  };
}

async function listen(
  app: FastifyInstance | null,
  { host = "127.0.0.1", port = 8080 }: { readonly host?: string; readonly port?: number } = {},
): Promise<string> {
  if (!app) throw new Error("this server has no HTTP; leave out `http: false`");
  await app.listen({ host, port });
  const { port: actualPort } = app.server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`;
}

function logError(error: unknown): void {
  console.error("pith-server:", JSON.stringify(describeError(error)));
}
