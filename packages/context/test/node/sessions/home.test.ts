/** Where sessions lie, whatever the working directory is. */

import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pithHome, sessionsFolder, trashFolder } from "../../../src/node/sessions/home.ts";

test("home is $PITH_HOME, or .pith in the user's own folder", () => {
  expect(sessionsFolder({ PITH_HOME: "/elsewhere" })).toBe("/elsewhere/sessions");
  expect(trashFolder({ PITH_HOME: "/elsewhere/" })).toBe("/elsewhere/trash");
  expect(sessionsFolder({})).toBe(join(homedir(), ".pith/sessions"));
  expect(sessionsFolder({ PITH_HOME: "" })).toBe(join(homedir(), ".pith/sessions"));
});

test("a relative home counts from the user's own folder, never from the working directory", () => {
  expect(pithHome({ PITH_HOME: "mine" })).toBe(join(homedir(), "mine"));
});
