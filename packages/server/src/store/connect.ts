/** Connects to PostgreSQL and calls the functions of the schema; a call whose connection breaks is made again. */

import { DatabaseError, Pool, type PoolClient, type PoolConfig, type QueryResultRow } from "pg";

/** Options of `connect`. */
export interface ConnectOptions
  extends Pick<PoolConfig, "connectionString" | "host" | "port" | "user" | "password" | "ssl"> {
  readonly database?: string | undefined;
  /** Connections at once. Default: 10. */
  readonly maxConnections?: number;
  /** How long a call that fails is made again while PostgreSQL cannot be reached. Default: 10 seconds. */
  readonly retryMs?: number;
  /** After this time without an answer, PostgreSQL counts as unreachable, and the connection is closed. Default: 30 seconds. */
  readonly timeoutMs?: number;
}

/** A pool of connections. */
export interface Database {
  readonly pool: Pool;
  /**
   * Calls a function of the schema that returns rows. Throws `UnavailableError` if PostgreSQL cannot be reached; whether the last try took
   * effect is not known then.
   */
  readRows<Row extends QueryResultRow>(name: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Calls a function of the schema that returns one value. Throws as `readRows` does. */
  call<Value>(name: string, values: readonly unknown[]): Promise<Value>;
  close(): Promise<void>;
}

/** Connects when the first statement runs. */
export function connect({
  maxConnections = 10,
  retryMs = 10_000,
  timeoutMs = 30_000,
  ...location
}: ConnectOptions): Database {
  const pool = new Pool({
    ...location,
    max: maxConnections,
    // Also the time that a statement waits while all connections are in use.
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: "pith",
    // Compiling a statement took 80 ms where running it takes 2 (docs/scale.md).
    options: "-c jit=off",
  });
  // A connection that breaks while nobody uses it leaves the pool; the next statement opens another.
  pool.on("error", () => {});
  const run = <Row extends QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<Row[]> =>
    retryWhileUnavailable(async () => (await pool.query<Row>({ name, text, values: [...values] })).rows, retryMs);
  return {
    pool,
    readRows: (name, values) => run(name, `select * from ${callText(name, values)}`, values),
    call: async (name, values) =>
      (await run<{ result: never }>(name, `select ${callText(name, values)} as result`, values))[0]?.result as never,
    close: () => pool.end(),
  };
}

export function callText(name: string, values: readonly unknown[]): string {
  return `pith.${name}(${values.map((_, index) => `$${index + 1}`)})`;
}

/** PostgreSQL cannot be reached. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

async function retryWhileUnavailable<Result>(run: () => Promise<Result>, retryMs: number): Promise<Result> {
  const deadline = Date.now() + retryMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await run();
    } catch (error) {
      if (!isUnavailable(error)) throw explainMissingTables(error);
      if (Date.now() + pauseMs > deadline)
        throw new UnavailableError("PostgreSQL cannot be reached; check that it runs, and try again", { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

function explainMissingTables(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || !MISSING_STATE.test(error.code ?? "")) return error;
  return new Error("the tables do not exist, or are those of another version; run `migrate`", { cause: error });
}

const MISSING_STATE = /^(3F000|42883|42P01|42703)$/;

function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? "");
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  return (typeof code === "string" && NETWORK_CODE.test(code)) || BROKEN_CONNECTION.test(String(message));
}

// Connection exceptions, shutdown, crash, start of the server, too many connections, a read-only server after a failover, a canceled
// statement, and a deadlock.
const UNAVAILABLE_STATE = /^(08|57P0[123]|53300|25006|57014|40001|40P01)/;
const NETWORK_CODE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** The package has no codes for these. */
const BROKEN_CONNECTION =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Runs a task with a connection of its own, in one transaction. Throws `UnavailableError` if the connection breaks. */
export async function inTransaction<Result>(
  pool: Pool,
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw explainFailure(error);
  });
  // Without a listener, a connection that breaks would end the process. The statement that runs is rejected as well.
  client.on("error", ignoreError);
  let failure: unknown;
  try {
    await client.query("begin");
    const result = await task(client);
    await client.query("commit");
    return result;
  } catch (error) {
    failure = error;
    throw explainFailure(error);
  } finally {
    client.off("error", ignoreError);
    // A connection that failed is closed, which rolls back.
    client.release(failure !== undefined);
  }
}

function explainFailure(error: unknown): unknown {
  if (!isUnavailable(error)) return explainMissingTables(error);
  return new UnavailableError("the connection to PostgreSQL broke; check that it runs, and try again", {
    cause: error,
  });
}

function ignoreError(): void {}
