/** Creates and changes the tables, forward and backward. Each migration is a pair of SQL files. */

import { readdirSync, readFileSync } from "node:fs";
import { escapeIdentifier, type PoolClient } from "pg";
import { type Database, inTransaction } from "./connect.ts";

/** Options of `migrate`. */
export interface MigrateOptions {
  /** The role that stores connect as. It must not own the tables, and is allowed to read and write them. */
  readonly applicationRole: string;
  /** The version to reach; 0 removes all tables with everything in them. Default: the newest. */
  readonly version?: number;
}

/** The versions before and after. */
export interface MigrateResult {
  readonly from: number;
  readonly to: number;
}

/** Migrates the tables in one transaction. Connect as the role that owns them; two callers at once wait for each other. */
export async function migrate(
  { pool }: Database,
  { applicationRole, version }: MigrateOptions,
): Promise<MigrateResult> {
  const migrations = listMigrations();
  const to = version ?? migrations.length;
  if (!Number.isInteger(to) || to < 0 || to > migrations.length)
    throw new Error(`there is no version ${to}; the newest is ${migrations.length}`);
  return inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock(hashtext('pith.migration'))");
    await checkRole(client, applicationRole);
    const from = await readVersion(client);
    if (from > migrations.length)
      throw new Error(
        `the tables have version ${from}, and this program knows ${migrations.length}; update the program`,
      );
    for (const name of migrations.slice(from, to)) await client.query(readMigration(name, "up"));
    for (const name of migrations.slice(to, from).reverse()) await client.query(readMigration(name, "down"));
    await client.query("update pith.migration set version = $1", [to]);
    await grantTables(client, applicationRole);
    return { from, to };
  });
}

/** Row-level security does not apply to a role that bypasses it. */
async function checkRole(client: PoolClient, role: string): Promise<void> {
  const { rows } = await client.query<{ bypasses: boolean; owns: boolean }>(
    `select rolsuper or rolbypassrls as bypasses, pg_has_role(rolname, current_user, 'usage') as owns
      from pg_roles where rolname = $1`,
    [role],
  );
  if (!rows[0]) throw new Error(`there is no role ${role}; create it with: create role ${role} login`);
  if (rows[0].bypasses || rows[0].owns)
    throw new Error(
      `the role ${role} would see every tenant; use one that is no superuser and does not own the tables`,
    );
}

const FOLDER = new URL("./migrations/", import.meta.url);

function listMigrations(): readonly string[] {
  const names = readdirSync(FOLDER).flatMap((file) => /^(\d{4}-.*)\.up\.sql$/.exec(file)?.[1] ?? []);
  return names.sort();
}

function readMigration(name: string, direction: "up" | "down"): string {
  return readFileSync(new URL(`${name}.${direction}.sql`, FOLDER), "utf8");
}

async function readVersion(client: PoolClient): Promise<number> {
  const { rows: schemas } = await client.query("select from pg_namespace where nspname = 'pith'");
  if (schemas.length === 0) await client.query("create schema pith");
  await client.query("create table if not exists pith.migration (version integer not null)");
  const { rows } = await client.query<{ version: number }>("select version from pith.migration");
  if (rows[0]) return rows[0].version;
  await client.query("insert into pith.migration values (0)");
  return 0;
}

async function grantTables(client: PoolClient, applicationRole: string): Promise<void> {
  const role = escapeIdentifier(applicationRole);
  await client.query(`grant usage on schema pith to ${role}`);
  await client.query(`grant select, insert, update, delete on all tables in schema pith to ${role}`);
  await client.query(`revoke all on pith.migration from ${role}`);
  // Only functions of the schema write these, with the rights of the owner, so that no row is changed or removed one by one.
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'pith'::regnamespace and relname in ('audit', 'erasure')",
  );
  for (const { name } of rows) await client.query(`revoke insert, update, delete on pith.${name} from ${role}`);
}
