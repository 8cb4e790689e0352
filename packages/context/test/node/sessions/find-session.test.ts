/** Sessions by their id, wherever they lie. */

import { expect, test } from "vitest";
import { findSession } from "../../../src/node/sessions/find-session.ts";
import { ground, session } from "./ground.ts";

test("HOME2 an id finds its session in any folder, whatever the working directory", async () => {
  const { parts } = ground();
  const one = await session(parts, { cwd: "/one", id: "alpha" });
  const two = await session(parts, { cwd: "/two", id: "beta" });
  expect(await findSession("alpha", parts)).toEqual({ type: "found", path: one, id: "alpha" });
  expect(await findSession("be", parts)).toEqual({ type: "found", path: two, id: "beta" });
});

test("several, none, and a whole id that is also a beginning", async () => {
  const { parts } = ground();
  const one = await session(parts, { cwd: "/one", id: "fix" });
  const two = await session(parts, { cwd: "/two", id: "fix-2" });
  expect(await findSession("fi", parts)).toMatchObject({
    type: "several",
    candidates: [
      { path: one, id: "fix" },
      { path: two, id: "fix-2" },
    ],
  });
  expect(await findSession("fix", parts)).toEqual({ type: "found", path: one, id: "fix" });
  for (const nobody of ["gone", "", "../fix", "fix/..", "*"])
    expect(await findSession(nobody, parts)).toMatchObject({ type: "none" });
});

test("no file is opened to find one by its name", async () => {
  const { files, parts } = ground();
  await session(parts, { id: "alpha" });
  const before = files.log.length;
  await findSession("alpha", parts);
  expect(files.log.slice(before).filter((call) => call.startsWith("open"))).toEqual([]);
});

test("a file of another name is found by its header", async () => {
  const { files, parts } = ground();
  files.write(
    "/pi/notes.jsonl",
    Buffer.from('{"type":"session","version":3,"id":"from-pi","timestamp":"","cwd":"/x"}\n'),
  );
  expect(await findSession("from", { ...parts, folders: ["/pi"] })).toEqual({
    type: "found",
    path: "/pi/notes.jsonl",
    id: "from-pi",
  });
});

test("two sessions of one id are both named", async () => {
  const { files, parts } = ground();
  const path = await session(parts, { id: "twin" });
  files.write(path.replace("_twin", "").replace(/(\d{3})Z/, "999Z_twin"), files.contents(path));
  expect(await findSession("twin", parts)).toMatchObject({ type: "several", candidates: [{}, {}] });
});
