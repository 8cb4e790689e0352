/** Counts the statements that PostgreSQL ran for a start and for a run, from its log. The counts do not depend on the load of the machine. */

import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "@pith/server";

/** A statement that PostgreSQL ran. */
export interface LoggedStatement {
  /** The connection that sent it. */
  readonly connection: string;
  /** Whose connection it is. */
  readonly sender: "pith" | "dbos";
  /** The function of the schema, or the verb and the table. */
  readonly name: string;
  readonly ms: number;
}

/** A folder for the log of a private cluster. */
export class StatementLog {
  readonly #folder: string;
  #readLength = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "pith-statements-"));
    // PostgreSQL writes it, as another user.
    chmodSync(this.#folder, 0o777);
  }

  /** Settings of PostgreSQL. */
  get settings(): Readonly<Record<string, string>> {
    return {
      ...{ logging_collector: "on", log_directory: this.#folder, log_filename: "log", log_destination: "jsonlog" },
      ...{ log_min_duration_statement: "0", log_rotation_size: "0", log_rotation_age: "0", log_file_mode: "0644" },
    };
  }

  /** The statements since the last call. Waits until the log has everything that was sent before this call. */
  async take(database: Database): Promise<readonly LoggedStatement[]> {
    const mark = randomUUID();
    await database.pool.query(`select '${mark}'`);
    for (;;) {
      const text = readFileSync(join(this.#folder, "log.json"), "utf8");
      const end = text.indexOf("\n", text.indexOf(mark, this.#readLength));
      if (text.indexOf(mark, this.#readLength) >= 0 && end >= 0) {
        const lines = text.slice(this.#readLength, end).split("\n");
        this.#readLength = end + 1;
        return lines.slice(0, -1).flatMap(parseLine);
      }
      await wait(20);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface LogLine {
  readonly session_id: string;
  readonly application_name?: string;
  readonly message?: string;
}

/** A prepared statement is logged when it is parsed, bound and executed; only the execution counts, with the time of all three. */
function parseLine(line: string): readonly LoggedStatement[] {
  if (line === "") return [];
  const { session_id: connection, application_name = "", message = "" } = JSON.parse(line) as LogLine;
  const found = /^duration: ([\d.]+) ms {2}(?:execute [^:]*|statement): (.*)/s.exec(message);
  if (!found) return [];
  const [, ms = "", text = ""] = found;
  const sender = application_name.startsWith("dbos") ? "dbos" : "pith";
  return [{ connection, sender, name: nameStatement(text), ms: Number(ms) }];
}

function nameStatement(text: string): string {
  const plain = text.replace(/\s+/g, " ").replaceAll('"', "").trim().toLowerCase();
  const called = /\b(?:pith|dbos)\.\w+(?=\()/.exec(plain)?.[0];
  const [, verb, table] = /^(insert|update|select|delete)\b.*?\b(dbos\.\w+)/.exec(plain) ?? [];
  return table ? `${verb} ${table}` : (called ?? plain.split(" ")[0] ?? "");
}

/** What one statement costs per session. */
export interface StatementCost {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
}

/** The statements of a part of a run, per session, without those that the worker and DBOS repeat anyway. */
export interface StatementCounts {
  readonly statements: number;
  readonly transactions: number;
  readonly costs: readonly StatementCost[];
}

/** Counts what the sessions caused. `sessions` is their number. */
export function countStatements(statements: readonly LoggedStatement[], sessions: number): StatementCounts {
  const transactions = groupTransactions(statements).filter((transaction) => !isRepeated(transaction));
  const byName = new Map<string, { count: number; ms: number }>();
  for (const { sender, name, ms } of transactions.flat()) {
    const label = `${sender}: ${name}`;
    const cost = byName.get(label) ?? { count: 0, ms: 0 };
    byName.set(label, { count: cost.count + 1 / sessions, ms: cost.ms + ms / sessions });
  }
  return {
    statements: transactions.flat().length / sessions,
    transactions: transactions.length / sessions,
    costs: Array.from(byName, ([name, cost]) => ({ name, ...cost })),
  };
}

/** A statement outside of `begin` and `commit` is a transaction of its own. */
function groupTransactions(statements: readonly LoggedStatement[]): readonly (readonly LoggedStatement[])[] {
  const open = new Map<string, LoggedStatement[]>();
  const transactions: (readonly LoggedStatement[])[] = [];
  for (const statement of statements) {
    const { connection, name } = statement;
    const block = open.get(connection) ?? (name === "begin" ? [] : null);
    if (block === null) {
      transactions.push([statement]);
      continue;
    }
    block.push(statement);
    open.set(connection, block);
    if (name !== "commit" && name !== "rollback") continue;
    open.delete(connection);
    transactions.push(block);
  }
  return transactions;
}

/** Whether it runs at intervals, however many sessions there are: beats, the search for sessions that are left, and the polls of the queue. */
function isRepeated(transaction: readonly LoggedStatement[]): boolean {
  return transaction[0]?.sender === "dbos"
    ? !transaction.some(({ name }) => RESULT_STATEMENTS.has(name))
    : transaction.every(({ name }) => REPEATED_STATEMENTS.has(name));
}

/** What DBOS writes for each workflow. It claims workflows in batches, by polls. */
const RESULT_STATEMENTS = new Set(["insert dbos.workflow_output", "insert dbos.workflow_status"]);
const REPEATED_STATEMENTS = new Set([
  "pith.beat",
  "pith.list_held",
  "pith.find_stranded",
  "set",
  "select",
  "select dbos.workflow_status",
]);
