/** Tests the store on PostgreSQL against the store contract, as the role of the application. */

import { storeContract, testRuntime } from "@pith/context/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, createSession, type Database, migrate, openSession, type PostgresStore } from "../../src/index.ts";
import { APPLICATION, type Cluster, OWNER, startCluster } from "../support/cluster.ts";

let cluster: Cluster;
let database: Database;
const tenant = "11111111-1111-4111-8111-111111111111";
let sessions = 0;

beforeAll(async () => {
  cluster = await startCluster();
  const owner = connect(cluster.as(OWNER));
  await migrate(owner.pool, { applicationRole: APPLICATION });
  await owner.close();
  database = connect(cluster.as(APPLICATION));
});

afterAll(async () => {
  await database.close();
  await cluster.stop();
});

describe("the store contract", () => {
  storeContract(
    { test: (name, run) => test(name, run), equal: (actual, expected) => expect(actual).toEqual(expected) },
    {
      create: () => createSession(database, tenant, { cwd: "/project", id: `s${++sessions}`, runtime: testRuntime() }),
      reopen: async (store) => requireStore(await openSession(database, tenant, { id: store.header.id, mode: "read" })),
      takeOver: async (store) =>
        requireStore(await openSession(database, tenant, { id: store.header.id, mode: "write" })),
    },
  );
});

function requireStore(store: PostgresStore | null): PostgresStore {
  if (store === null) throw new Error("the session does not exist");
  return store;
}
