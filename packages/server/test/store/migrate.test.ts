/** Tests the migrations forward and backward, and what the role of the application may do. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Database, migrate } from "../../src/index.ts";
import { APPLICATION, type Cluster, OWNER, startCluster } from "../support/cluster.ts";

let cluster: Cluster;
let owner: Database;

beforeAll(async () => {
  cluster = await startCluster();
  owner = connect(cluster.as(OWNER));
});

afterAll(async () => {
  await owner.close();
  await cluster.stop();
});

async function listObjects(): Promise<readonly string[]> {
  const { rows } = await owner.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'pith'::regnamespace and relkind in ('r', 'p')
      union select proname from pg_proc where pronamespace = 'pith'::regnamespace order by 1`,
  );
  return rows.map(({ name }) => name);
}

test("PG10 each migration can be undone and done again, in one step or several", async () => {
  const { from, to } = await migrate(owner, { applicationRole: APPLICATION });
  expect(from).toBe(0);
  const all = await listObjects();
  expect(all).toContain("entry");
  expect(all).toContain("append");
  for (let version = to - 1; version >= 0; version--)
    expect(await migrate(owner, { applicationRole: APPLICATION, version })).toEqual({
      from: version + 1,
      to: version,
    });
  expect(await listObjects()).toEqual(["migration"]);
  expect(await migrate(owner, { applicationRole: APPLICATION })).toEqual({ from: 0, to });
  expect(await listObjects()).toEqual(all);
  expect(await migrate(owner, { applicationRole: APPLICATION })).toEqual({ from: to, to });
});

test("PG10 two programs that migrate at once do it once; tables of a newer program are not touched", async () => {
  const { to } = await migrate(owner, { applicationRole: APPLICATION });
  await migrate(owner, { applicationRole: APPLICATION, version: 0 });
  const results = await Promise.all([1, 2, 3].map(() => migrate(owner, { applicationRole: APPLICATION })));
  expect(results.map(({ from }) => from).sort()).toEqual([0, to, to]);
  await expect(migrate(owner, { applicationRole: APPLICATION, version: to + 1 })).rejects.toThrow(
    "there is no version",
  );
  await owner.pool.query("update pith.migration set version = 99");
  await expect(migrate(owner, { applicationRole: APPLICATION })).rejects.toThrow("update the program");
  await owner.pool.query("update pith.migration set version = $1", [to]);
});

test("PG10 the role of the application owns nothing, and cannot change the tables or turn row-level security off", async () => {
  const application = connect(cluster.as(APPLICATION));
  const refused = [
    "alter table pith.entry disable row level security",
    "alter table pith.entry no force row level security",
    "drop policy own_tenant on pith.entry",
    "create table pith.other (id int)",
    "truncate pith.entry",
    "update pith.migration set version = 0",
    "set role pith_owner",
  ];
  for (const statement of refused)
    await expect(application.pool.query(statement)).rejects.toThrow(/must be owner|permission denied/);
  await application.close();
});
