/** Tests a task of forty rounds with the built program: its requests and its CPU time stay within their limits. */

import { expect, test } from "vitest";
import { prefixKeptShare } from "../src/loop/measurements.ts";
import type { RaceResult } from "../src/loop/race.ts";
import { measureLoop, toFigures } from "../src/loop/suite.ts";

test("in a task of forty rounds the first request is short, every request begins with the previous one, and the CPU time stays within its limit", () => {
  const figures = measureLoop({ runs: 1, rounds: 40, alsoSandboxed: false });
  expect(figures.first_request_bytes).toBeLessThanOrEqual(8_000);
  expect(figures.prefix_kept).toBe(1);
  expect(figures.rss_mb).toBeLessThan(200);
  console.log(`cpu_x_floor: ${figures.cpu_x_floor}`);
  // The other times depend on what else the machine does; `pnpm bench loop` measures them.
  expect(figures.cpu_x_floor).toBeLessThan(8);
});

test("a request keeps the prefix of the previous one if only cache marks have moved", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const createMessage = (text: string, more: object = {}) => ({
    role: "user",
    content: [{ type: "text", text, ...more }],
  });
  const first = { system: "Be brief.", tools: [{ name: "read" }], messages: [createMessage("one", mark)] };
  const second = { ...first, messages: [{ role: "user", content: "one" }, createMessage("two", mark)] };
  expect(prefixKeptShare([first, second])).toBe(1);
  expect(prefixKeptShare([first, { ...second, system: "Be long." }])).toBe(0);
  expect(prefixKeptShare([first, second, first])).toBe(0.5);
});

test("each run is compared with the floor of the same run, and two floors by their larger difference", () => {
  const result = (name: string, starts: readonly number[], roundMs: number): RaceResult => ({
    name,
    times: starts.map((startMs) => ({ startMs, roundMs, exitMs: 1, cpuMs: startMs })),
    firstRequestBytes: 100,
    prefixKept: 1,
    rssMb: 50,
  });
  const floor = result("floor", [100, 200, 400], 5);
  const figures = toFigures([floor, result("pith", [200, 300, 800], 10), result("yardstick", [100, 200, 400], 4)]);
  expect(figures).toMatchObject({ start_x_floor: 2, round_x_floor: 2, floor_agrees: 1.25, pith_start_ms: 300 });
  expect(figures).not.toHaveProperty("pi_start_x_floor");
});
