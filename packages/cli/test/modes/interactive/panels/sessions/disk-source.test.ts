/** Thousands of sessions of one folder. */

import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createSession } from "@pith/context/node";
import { expect, test } from "vitest";
import { createDiskSource } from "../../../../../src/modes/interactive/panels/sessions/disk-source.ts";
import { emptySessionsState, type SessionsState } from "../../../../../src/modes/interactive/panels/sessions/state.ts";
import { createTempFolder } from "../../../../support/command-context.ts";

const MANY = 5_000;

/** Where they are, and the folder they belong to. */
async function thousands(): Promise<{ readonly home: string; readonly cwd: string }> {
  const [home, cwd] = [createTempFolder("pith-home-"), createTempFolder("pith-many-")];
  const made = await createSession({ cwd, env: { PITH_HOME: home } });
  if (made.type !== "opened") throw new Error("no session could be made");
  const { path, header } = made.store;
  const message = { role: "user", content: "the first words", timestamp: 1 };
  const entry = { type: "message", message, id: "e0", parentId: null, timestamp: "2026-01-01T00:00:00Z" };
  await made.store.append([entry as never], { expectedLeaf: null });
  await made.store.close();
  const text = readFileSync(path, "utf8");
  for (let at = 1; at < MANY; at++) {
    const id = `${(0x10000000 + at).toString(16)}${header.id.slice(8)}`;
    writeFileSync(
      join(dirname(path), basename(path).replace(header.id, id)),
      text.replaceAll(header.id, () => id),
    );
  }
  return { home, cwd };
}

test("RES28 the first rows of 5,000 sessions appear before the others are read", async () => {
  const place = { ...(await thousands()), currentPath: null };
  for (const _ of ["cold", "warm"]) {
    const closing = new AbortController();
    const pictures: { readonly rows: number }[] = [];
    let state: SessionsState = emptySessionsState;
    await createDiskSource(place).list((change) => {
      state = change(state);
      pictures.push({ rows: state.items.length });
      if (state.isComplete) closing.abort();
    }, closing.signal);
    const [first, all] = pictures;
    expect(first?.rows).toBeGreaterThanOrEqual(40);
    expect(first?.rows).toBeLessThan(100);
    expect(all?.rows).toBe(MANY);
  }
});
