/** Starts a cluster with the tables, and opens sessions in it. */

import {
  connect,
  type Database,
  migrate,
  type OpenSessionOptions,
  openSession,
  type PostgresStore,
} from "../../src/index.ts";
import { APPLICATION, type Cluster, OWNER, startCluster } from "./cluster.ts";

/** A cluster whose tables exist, and a connection as the role of the application. */
export interface TestDatabase {
  cluster: Cluster;
  database: Database;
}

/** Starts a cluster and creates the tables. */
export async function startDatabase(settings: Readonly<Record<string, string>> = {}): Promise<TestDatabase> {
  const cluster = await startCluster(settings);
  const owner = connect(cluster.as(OWNER));
  await migrate(owner, { applicationRole: APPLICATION });
  await owner.close();
  return { cluster, database: connect({ ...cluster.as(APPLICATION), retryMs: 30_000, timeoutMs: 600_000 }) };
}

/** Opens a session that exists. */
export async function requireSession(
  database: Database,
  tenant: string,
  options: OpenSessionOptions,
): Promise<PostgresStore> {
  const store = await openSession(database, tenant, options);
  if (store === null) throw new Error(`the session ${options.id} does not exist`);
  return store;
}

export const TENANT = "11111111-1111-4111-8111-111111111111";
export const OTHER_TENANT = "22222222-2222-4222-8222-222222222222";
