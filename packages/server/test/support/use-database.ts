/** Starts a cluster with the tables before the tests of a file and stops it after them. */

import { afterAll, beforeAll } from "vitest";
import { startDatabase, type TestDatabase } from "./database.ts";

/** Returns the cluster and a connection to it; both are there when the first test runs. By default it does not wait for the disk. */
export function useDatabase(settings: Readonly<Record<string, string>> = { fsync: "off" }): TestDatabase {
  const test = {} as TestDatabase;
  beforeAll(async () => Object.assign(test, await startDatabase(settings)));
  afterAll(async () => {
    await test.database.close();
    await test.cluster.stop();
  });
  return test;
}
