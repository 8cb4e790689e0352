/** Tests the published packages: their manifests, and that npm refuses to pack them. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { SUPPORTED_NODES } from "../install-trial/trial.ts";
import { findNpmCli } from "../pack-packages.ts";
import { isProgram, listPublishedPackages } from "../packages.ts";

const packages = listPublishedPackages();

test("INST1 npm refuses to pack or publish a package, and the message names the right command", () => {
  const folder = packages.find(({ manifest }) => manifest.name === "@pith/client")?.folder ?? "";
  for (const args of [["pack"], ["publish", "--dry-run"]]) {
    const { npm_config_user_agent: _, ...env } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [findNpmCli(), ...args], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain("nothing was packed");
    expect(stderr).toContain("pnpm pack:packages");
  }
});

test.each(packages)(
  "INST2 $manifest.name publishes an entry point for each one that the sources have",
  ({ manifest }) => {
    const { exports, publishConfig } = manifest;
    const isPrivate = (name: string): boolean => name === "./tables";
    const own = Object.keys(exports).filter((name) => !isPrivate(name));
    const published = Object.keys(publishConfig.exports).filter((name) => !name.endsWith(".schema.json"));
    expect(published).toEqual(own);
    expect(Object.keys(publishConfig.bin ?? {})).toEqual(Object.keys(manifest.bin ?? {}));
    expect(exports["./package.json"]).toBe("./package.json");
  },
);

test.each(packages)("INST3 $manifest.name names its repository, and its Node is one that is tried", ({ manifest }) => {
  const fields = manifest as unknown as Record<string, Record<string, string> | undefined>;
  for (const field of ["description", "license", "homepage", "bugs", "keywords"]) expect(fields[field]).toBeTruthy();
  expect(fields.repository?.url).toMatch(/^git\+https:/);
  expect(fields.publishConfig?.access).toBe("public");
  const [oldest = ""] = SUPPORTED_NODES;
  expect(fields.engines?.node).toBe(`>=${oldest.replace(/\.0$/, "")}`);
});

test("INST4 the program, @pith/context and @pith/client have no dependencies, and libraries share theirs by ranges", () => {
  for (const each of packages) {
    const { name, dependencies = {} } = each.manifest;
    if (isProgram(each) || name === "@pith/context" || name === "@pith/client") expect(dependencies).toEqual({});
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^(?:\^\d|workspace:\^$)/);
  }
});
