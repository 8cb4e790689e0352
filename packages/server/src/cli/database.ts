/** Connects a command to the database. */

import { connect, type Database } from "../store/connect.ts";
import { requireVariable } from "./environment.ts";

export async function withDatabase<Result>(
  environment: Readonly<Record<string, string | undefined>>,
  task: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = connect({ connectionString: requireVariable("PITH_DATABASE_URL", environment) });
  try {
    return await task(database);
  } finally {
    await database.close();
  }
}
