/** The commands that prepare the database and run a server. */

import { type ServerCommand, UsageError } from "./args.ts";
import {
  pickCommandEnvironment,
  readEncryptionKeys,
  readProviderKeys,
  readSettingsFile,
  requireVariable,
} from "./environment.ts";

export const migrateCommand: ServerCommand = {
  name: "migrate",
  argumentNames: [],
  description: "Create or update the tables. Run it once per version, before its servers start.",
  flags: { role: { type: "string", description: "The role that servers connect as. Default: pith_app." } },
  run: async ({ flags: { role = "pith_app" }, environment }) => {
    const connectionString = requireVariable("PITH_OWNER_URL", environment);
    const { connect, migrate, migrateDbos } = await import("../index.ts");
    const owner = connect({ connectionString });
    try {
      const { from, to } = await migrate(owner, { applicationRole: String(role) });
      await migrateDbos(connectionString, String(role));
      return from === to ? `The tables have version ${to} already.` : `The tables have version ${to} now.`;
    } finally {
      await owner.close();
    }
  },
};

export const startCommand: ServerCommand = {
  name: "start",
  argumentNames: [],
  description: "Run a server: the HTTP API and a worker. SIGTERM drains it.",
  flags: {
    host: { type: "string", description: "The address to listen on. Default: 127.0.0.1." },
    port: { type: "string", description: "Default: 8080." },
    settings: { type: "string", description: "A settings file, as of pith: defaults and limits of all tenants." },
    models: {
      type: "string",
      description: "The models that tenants may use, separated by commas. The first is the default.",
    },
    concurrency: { type: "string", description: "The sessions that the worker runs at once. Default: 50." },
    origins: { type: "string", description: "Web pages of these origins may call the API, separated by commas." },
    "worker-id": { type: "string", description: "The name of the worker. Default: a new one." },
    "no-worker": { type: "boolean", description: "Run only the HTTP API." },
    "no-http": { type: "boolean", description: "Run only a worker." },
  },
  run: async ({ flags, environment, print }) => {
    const { host = "127.0.0.1", settings, models, origins } = flags;
    const workerId = flags["worker-id"];
    const port = parseCount("port", flags.port ?? "8080", 65_535);
    const concurrency = parseCount("concurrency", flags.concurrency ?? "50", 10_000);
    const { createServer } = await import("../index.ts");
    const server = await createServer({
      databaseUrl: requireVariable("PITH_DATABASE_URL", environment),
      folder: requireVariable("PITH_FOLDER", environment),
      encryptionKeys: readEncryptionKeys(environment),
      environment: pickCommandEnvironment(environment),
      providerKeys: readProviderKeys(environment),
      ...(typeof settings === "string" && { settings: readSettingsFile(settings) }),
      ...(typeof models === "string" && { models: splitList(models) }),
      worker:
        flags["no-worker"] === true ? false : { concurrency, ...(typeof workerId === "string" && { id: workerId }) },
      http: flags["no-http"] === true ? false : { ...(typeof origins === "string" && { origins: splitList(origins) }) },
    });
    const stopped = waitForSignal();
    try {
      if (server.app) print(`Listening on ${await server.listen({ host: String(host), port })}`);
      if (server.worker) print(`Worker ${server.worker.id} runs up to ${concurrency} sessions`);
      await stopped;
    } finally {
      await server.close();
    }
    return "Stopped; other workers go on with its sessions.";
  },
};

function parseCount(flag: string, text: string | boolean, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max) throw new UsageError(`--${flag} is a number up to ${max}`);
  return value;
}

function splitList(text: string): readonly string[] {
  return text.split(",").map((item) => item.trim());
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
