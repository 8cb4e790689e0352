/** Tests which denied paths a sandbox can enforce. */

import { expect, test } from "vitest";
import { findDeniedPaths } from "../../src/permissions/match-rules.ts";
import { permissionPaths, rule } from "../support/permission-requests.ts";

const { root, home } = permissionPaths;

test("PERM23 denied files and folders are closed to commands, and rules that cannot be enforced are returned", () => {
  const held = ["read(.env)", "read(secrets/**)", "edit(src/**)", "write(/etc/hosts)", "edit(~/notes)"];
  const unheld = ["read(**/*.pem)", "edit(a?/x)", "read", "read(~)", "edit(/**)"];
  const { unreadable, unwritable, ...rules } = findDeniedPaths(
    [...held, ...unheld, "bash(rm:*)", "fetch"].map(rule),
    permissionPaths,
  );
  expect(unreadable).toEqual([`${root}/.env`, `${root}/secrets`]);
  expect(unwritable).toEqual([`${root}/src`, "/etc/hosts", `${home}/notes`]);
  expect(rules.enforcedRules.map(({ text }) => text)).toEqual(held);
  expect(rules.unenforcedRules.map(({ text }) => text)).toEqual(unheld);
});

test("PERM23 denying all changes also denies them to commands in the workspace", () => {
  expect(findDeniedPaths([rule("edit")], permissionPaths).unwritable).toEqual([root]);
  expect(findDeniedPaths([rule("write(**)")], permissionPaths).unwritable).toEqual([root]);
});
