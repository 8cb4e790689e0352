/** Which sessions are shown, in which order. */

import type { SessionItem } from "@pith/context/node";
import { expect, test } from "vitest";
import {
  buildSessionRows,
  emptySessionsState,
  type SessionsState,
} from "../../../../../src/modes/interactive/panels/sessions/state.ts";
import { createInput } from "../../../../../src/modes/interactive/panels/widgets.ts";

function item(path: string, firstMessage: string, more: Partial<SessionItem> = {}): SessionItem {
  return { path, id: `id-${path}`, cwd: "/here", created: "", modified: 0, size: 1, firstMessage, ...more };
}

const items = [
  item("a", "fix the parser"),
  item("b", ""),
  item("c", "elsewhere", { cwd: "/there" }),
  item("d", "write a page", { name: "the Parser page" }),
];

function shown(state: Partial<SessionsState>): readonly string[] {
  return buildSessionRows({ ...emptySessionsState, items, ...state }, "/here").map(({ item: { path } }) => path);
}

const snippet = { text: "…", marks: [] };

test("RES8 sessions of this folder come first, and sessions without a message are hidden", () => {
  expect(shown({})).toEqual(["a", "d"]);
  expect(shown({ scope: "all" })).toEqual(["a", "c", "d"]);
});

test("RES9 matches in names and first messages come before other matches, and each session is listed once", () => {
  const hits = ["c", "d", "a"].map((path) => ({ path, snippet }));
  const found = { query: "pars", hits, pending: null };
  expect(shown({ scope: "all", input: createInput("parser"), searchResult: found })).toEqual(["a", "d", "c"]);
  expect(shown({ input: createInput("PARSER page"), searchResult: null })).toEqual(["d"]);
  expect(shown({ scope: "all", input: createInput("other"), searchResult: found })).toEqual([]);
});
