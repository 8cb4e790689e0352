/** Walking past many sessions. */

import { asItIs } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import { expect, test } from "vitest";
import { looker } from "../../../../../src/screen/acting/sessions/choosing/looker.ts";
import { type About, noSessionsYet } from "../../../../../src/screen/panels/sessions/sessions-state.ts";

const about: About = { gist: null, model: null, isForeign: false, lastSaid: "", lastAnswer: "" };

function item(path: string): SessionItem {
  return { path, id: path, cwd: "", created: "", modified: 0, size: 1, firstMessage: "" };
}

test("RES10 each session is looked into once, and those that were walked past are left out", async () => {
  const looked: string[] = [];
  const look = looker(
    async () => asItIs,
    async ({ path }) => {
      looked.push(path);
      await new Promise((resolve) => setImmediate(resolve));
      return about;
    },
  );
  const { signal } = new AbortController();
  const first = look(["a", "b", "c", "d"].map(item), signal);
  const second = look(["a", "x", "y"].map(item), signal);
  const change = await second;
  await first;
  expect(looked.toSorted()).toEqual(["a", "x", "y"]);
  expect([...change(noSessionsYet).abouts.keys()]).toEqual(["a", "x", "y"]);
});
