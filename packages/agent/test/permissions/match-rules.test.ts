/** What of a denial a sandbox can hold. */

import { expect, test } from "vitest";
import { deniedPlaces } from "../../src/permissions/match-rules.ts";
import { ground, rule } from "./ground.ts";

const { root, home } = ground;

test("PERM23 whole files and folders that are denied are closed to commands; what cannot be closed is named", () => {
  const held = ["read(.env)", "read(secrets/**)", "edit(src/**)", "write(/etc/hosts)", "edit(~/notes)"];
  const unheld = ["read(**/*.pem)", "edit(a?/x)", "read", "read(~)", "edit(/**)"];
  const { unseen, unchanged, ...rules } = deniedPlaces([...held, ...unheld, "bash(rm:*)", "fetch"].map(rule), ground);
  expect(unseen).toEqual([`${root}/.env`, `${root}/secrets`]);
  expect(unchanged).toEqual([`${root}/src`, "/etc/hosts", `${home}/notes`]);
  expect(rules.held.map(({ text }) => text)).toEqual(held);
  expect(rules.unheld.map(({ text }) => text)).toEqual(unheld);
});

test("PERM23 who denies all changes denies them to commands in the workspace", () => {
  expect(deniedPlaces([rule("edit")], ground).unchanged).toEqual([root]);
  expect(deniedPlaces([rule("write(**)")], ground).unchanged).toEqual([root]);
});
