/** What a permitted call may open, and what below it stays closed. */

import { describe, expect, test } from "vitest";
import { leaveFor } from "../../src/permissions/leave.ts";
import type { Mode } from "../../src/permissions/table.ts";
import type { Leave } from "../../src/tool.ts";
import { act, ground, look, rules, sight } from "./ground.ts";

const { root, home } = ground;

function leave(path: string, texts: Parameters<typeof rules>[0] = {}, mode: Mode = "edit"): Leave {
  return leaveFor(sight(act(look(path), { tool: "grep" })), { mode, rules: rules(texts), ground });
}

describe("SEEK16 a search leaves out what looking at it alone would not pass", () => {
  test.each(["edit", "plan", "all"] as const)("keys and secrets in mode %s", (mode) => {
    const { isClosed } = leave(home, {}, mode);
    const closed = [".pith/keys.json", ".ssh/id", "other/.env", ".npmrc"].map((name) => isClosed(`${home}/${name}`));
    expect(closed).toEqual([true, true, true, true]);
    expect([`${home}/notes.txt`, `${root}/.env`].map(isClosed)).toEqual([false, false]);
  });

  test("the environment and the memory of programs", () => {
    const { isClosed } = leave("/");
    expect(["/proc/7/environ", "/proc/7/task/7/mem", "/proc/7/status"].map(isClosed)).toEqual([true, true, false]);
  });

  test("what a rule denies, or wants to be asked about", () => {
    const { isClosed } = leave(root, { deny: ["read(.env)", "grep(**/*.pem)"], ask: ["read(notes)"] });
    const paths = [".env", "deep/a.pem", "notes/x", "src/a.ts"];
    expect(paths.map((path) => isClosed(`${root}/${path}`))).toEqual([true, true, true, false]);
  });

  test("what a rule allows by its place is open", () => {
    const { isClosed } = leave(home, { allow: ["read(~/.ssh)"] });
    expect([`${home}/.ssh/config`, `${home}/.aws/config`].map(isClosed)).toEqual([false, true]);
  });

  test("who was asked about a secret folder was asked about all of it, keys never", () => {
    const { isClosed } = leave(`${home}/.pith`);
    expect(isClosed(`${home}/.pith/keys.json`)).toBe(true);
    expect(leave(`${home}/.ssh`).isClosed(`${home}/.ssh/config`)).toBe(false);
  });
});

test("FILE23 a path is held to where it led; where nobody can tell, to itself", () => {
  const judged = act(look("/a", "/b"));
  const reached = [
    { named: "/a", real: "/x" },
    { named: "/b", real: null },
  ];
  const held = leaveFor({ act: judged, reached }, { mode: "edit", rules: rules({}), ground });
  expect([...held.reached]).toEqual([
    ["/a", "/x"],
    ["/b", "/b"],
  ]);
});
