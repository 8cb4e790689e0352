/** Starts a private PostgreSQL on a free port of the loopback, and stops it. It also ends if this process is killed. */

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";

/** A running PostgreSQL. */
export interface Cluster {
  readonly port: number;
  /** Where to connect as this role. */
  as(user: string): { readonly host: string; readonly port: number; readonly user: string; readonly database: string };
  /** Stops it as `pg_ctl stop -m immediate` does, like a crash, runs the task and starts it again. */
  whileStopped(task: () => Promise<void>): Promise<void>;
  /** Runs a statement as the superuser, who is not subject to row-level security. */
  runAsSuperuser(statement: string): Promise<void>;
  /** What `pg_dumpall` prints: every row of every database. */
  dump(): string;
  /** The folder with the files of the databases. */
  readonly data: string;
  stop(): Promise<void>;
}

/** The role that owns the tables. */
export const OWNER = "pith_owner";
/** The role that stores connect as. It owns nothing and is subject to row-level security. */
export const APPLICATION = "pith_app";
const DATABASE = "pith";

/** Starts a cluster with both roles and an empty database. `settings` are settings of PostgreSQL. */
export async function startCluster(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = findPrograms();
  const owner = findSystemUser();
  const folder = mkdtempSync(join(tmpdir(), "pith-postgres-"));
  if (owner) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  const options = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8" } };
  const initdb = ["--pgdata", data, "--auth", "trust", "--username", "postgres", "--encoding", "UTF8", "--no-sync"];
  execFileSync(join(bin, "initdb"), initdb, { ...options, stdio: "ignore" });
  const port = await findFreePort();
  const start = async (): Promise<() => Promise<void>> => {
    const parameters = Object.entries({ ...DEFAULT_SETTINGS, port: String(port), ...settings }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    );
    // The shell ends PostgreSQL when its input ends, which also happens if this process is killed.
    const script = `"$@" & server=$!; cat >/dev/null; kill -QUIT $server; wait $server`;
    const shell = spawn("sh", ["-c", script, "sh", join(bin, "postgres"), "-D", data, ...parameters], {
      ...options,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise<void>((resolve) => shell.once("exit", () => resolve()));
    await waitUntilReady(port);
    return async () => {
      shell.stdin.end();
      await ended;
    };
  };
  let stop = await start();
  await createRoles(port);
  return {
    port,
    as: (user) => ({ host: "127.0.0.1", port, user, database: DATABASE }),
    runAsSuperuser: (statement) => runAsSuperuser(port, DATABASE, [statement]),
    dump: () => {
      const location = ["--host=127.0.0.1", `--port=${port}`, "--username=postgres"];
      return execFileSync(join(bin, "pg_dumpall"), location, { encoding: "utf8", maxBuffer: 1e9 });
    },
    data,
    async whileStopped(task) {
      await stop();
      await task().finally(async () => {
        stop = await start();
      });
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
};

function findPrograms(): string {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const bin = versions
    .map((version) => join(root, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")));
  if (!bin) throw new Error("PostgreSQL is not installed; install Debian's package postgresql");
  return bin;
}

/** PostgreSQL refuses to run as root, so it runs as the user of Debian's package. */
function findSystemUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" })));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function waitUntilReady(port: number): Promise<void> {
  for (;;) {
    const client = new Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // It is still starting, or recovering.
      await wait(50);
    }
  }
}

async function createRoles(port: number): Promise<void> {
  const roles = [OWNER, APPLICATION].map((role) => `create role ${role} login`);
  await runAsSuperuser(port, "postgres", [...roles, `create database ${DATABASE} owner ${OWNER}`]);
}

async function runAsSuperuser(port: number, database: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ host: "127.0.0.1", port, user: "postgres", database });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
