/** SQLite as this machine's Node has it, loaded when it is needed and without the warning of Nodes that still call it an experiment. */

import type { DatabaseSync, StatementSync } from "node:sqlite";

export type Database = DatabaseSync;

export function openDatabase(path: string): Database {
  const { emitWarning } = process;
  process.emitWarning = (...warning: readonly unknown[]) => {
    if (!String(warning[0]).includes("SQLite")) Reflect.apply(emitWarning, process, warning);
  };
  try {
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    return new DatabaseSync(path, { timeout: PATIENCE });
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A statement, understood once for as long as the database is open: a question asks the same of dozens of tables. */
export function prepared(database: Database, sql: string): StatementSync {
  const kept = STATEMENTS.get(database) ?? new Map<string, StatementSync>();
  STATEMENTS.set(database, kept);
  const statement = kept.get(sql) ?? database.prepare(sql);
  kept.set(sql, statement);
  return statement;
}

const STATEMENTS = new WeakMap<Database, Map<string, StatementSync>>();

/** Everything that is looked at in it is of one moment, whatever another program writes meanwhile. */
export function together<Found>(database: Database, look: () => Found): Found {
  database.exec("BEGIN");
  try {
    return look();
  } finally {
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** What went wrong, as far as it changes what to do next. */
export type DatabaseFault = "broken" | "busy" | "full" | "refused";

/** Null for what SQLite did not say. */
export function databaseFault(error: unknown): DatabaseFault | null {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return null;
  // The low byte is the kind of the error, the others say more of it.
  return FAULTS.get(errcode & 0xff) ?? "refused";
}

/** Milliseconds that a writer waits for another one. */
const PATIENCE = 2_000;

// A table that is missing or of another shape (1) is as bad as damaged pages (11) and as another file (26): none of it is ours.
const FAULTS: ReadonlyMap<number, DatabaseFault> = new Map([
  [1, "broken"],
  [11, "broken"],
  [26, "broken"],
  [5, "busy"],
  [6, "busy"],
  [13, "full"],
]);
