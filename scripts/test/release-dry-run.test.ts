/** Tests a whole release in a copy of the checkout, from the changeset to the tarballs, without publishing. */

import { expect, test } from "vitest";
import { listPublishedPackages, PROGRAM_NAME, readVersion } from "../packages.ts";
import { runScript } from "./run-script.ts";

test("REL8 a dry run raises the version, packs every package and finds no fault", () => {
  const { status, lines } = runScript("release/dry-run.ts");
  const result = JSON.parse(lines.at(-1) ?? "");
  expect(result).toMatchObject({ before: readVersion(), faults: [] });
  expect(status).toBe(0);
  const packages: readonly { readonly name: string; readonly hasNotices: boolean }[] = result.packages;
  const names = listPublishedPackages().map(({ manifest }) => manifest.name);
  expect(packages.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  // Data of others is compiled into these.
  const noticed = packages.filter(({ hasNotices }) => hasNotices).map(({ name }) => name);
  expect(noticed).toEqual(expect.arrayContaining([PROGRAM_NAME, "@pith/context", "@pith/models"]));
});
