/** Tests that the order of entries follows the file and not the clock. */

import { describe, expect, test } from "vitest";
import { Session } from "../../../src/session/session.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { disks } from "./disks.ts";
import { branchIds, simulateProcesses } from "./simulate-processes.ts";

const YEAR = 365 * 24 * 3600 * 1000;
const NOW = 1767225600000;
const clocks: Readonly<Record<string, (look: number) => number>> = {
  "goes back a year at every look": (look) => NOW - look * YEAR,
  "goes on a year at every look": (look) => NOW + look * YEAR,
  "jumps a year back and forth": (look) => NOW + (look % 2 === 0 ? YEAR : -YEAR),
  "stands still": () => NOW,
  "says the beginning of time": () => 0,
};

describe.each(disks)("on a disk that is %s", (_, disk) => {
  test.each(Object.entries(clocks))("D13 order and leaf follow the file if the clock %s", async (_, clock) => {
    const { files, path } = disk();
    let looks = 0;
    let ids = 0;
    const ports = { ...testRuntime(), now: () => clock(looks++), entryId: () => `e${++ids}` };
    const simulation = simulateProcesses(files);
    const store = await simulation.create(path, { runtime: ports });
    const session = await Session.open(store, ports);
    for (const content of ["one", "two", "three"])
      await session.append({ type: "message", message: { role: "user", content, timestamp: ports.now() } });
    expect(await branchIds(store)).toEqual(["e1", "e2", "e3"]);
    await session.move("e1");
    await session.append({ type: "message", message: { role: "user", content: "four", timestamp: ports.now() } });
    await store.close();
    const again = await simulation.open(path, { runtime: ports });
    expect(await again.leaf()).toBe("e5");
    expect(await branchIds(again)).toEqual(["e1", "e4", "e5"]);
    expect((await again.children("e1")).map(({ id }) => id)).toEqual(["e2", "e4"]);
    expect(await again.check()).toEqual([]);
  });
});
