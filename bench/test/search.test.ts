/** Tests the search suite on a small corpus: every kind of query has hits, and an append is found. */

import { expect, test } from "vitest";
import { runSearch } from "../src/search/suite.ts";

test("every query has hits in a corpus of 2 MB", async () => {
  const figures = await runSearch({ sessions: 20, bytes: 2e6, each: 2, runs: 1, seed: 3, log: () => undefined });
  expect(figures).toMatchObject({ sessions: 20 });
  expect(figures.search_ms_p95).toBeLessThan(5_000);
  expect(figures.found_after_ms).toBeLessThan(10_000);
  expect(figures.index_share).toBeLessThan(2);
});
