/** Connects to PostgreSQL and calls the functions of the schema; a call whose connection breaks is made again. */

import { DatabaseError, Pool, type PoolConfig, type QueryResultRow } from "pg";

/** Options of `connect`. */
export interface ConnectOptions
  extends Pick<PoolConfig, "connectionString" | "host" | "port" | "user" | "password" | "ssl"> {
  readonly database?: string | undefined;
  /** Connections at once. Default: 10. */
  readonly maxConnections?: number;
  /** How long a call is tried again while PostgreSQL cannot be reached. Default: 10 seconds. */
  readonly retryMs?: number;
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
export function connect({ maxConnections = 10, retryMs = 10_000, ...location }: ConnectOptions): Database {
  const pool = new Pool({
    ...location,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
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

function callText(name: string, values: readonly unknown[]): string {
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
      if (!isUnavailable(error)) throw error;
      if (Date.now() + pauseMs > deadline)
        throw new UnavailableError("PostgreSQL cannot be reached; check that it runs, and try again", { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return UNAVAILABLE_STATE.test(error.code ?? "");
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  return (typeof code === "string" && NETWORK_CODE.test(code)) || BROKEN_CONNECTION.test(String(message));
}

// Connection exceptions, shutdown, crash, start of the server, and too many connections.
const UNAVAILABLE_STATE = /^(08|57P0[123]|53300)/;
const NETWORK_CODE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** The package has no codes for these. */
const BROKEN_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
