/** An action without its commit and a version that is too young are found where they stand; a registry that is silent is no pass. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  checkReleaseAges,
  findReleaseTimes,
  listLockedVersions,
  parseAgeSettings,
} from "../supply-chain/release-age.ts";
import { checkWorkflows } from "../supply-chain/workflow-faults.ts";
import { writeTree } from "./plant.ts";
import { runScript } from "./run-script.ts";

const HASH = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";
const workflow = (...steps: readonly string[]): string =>
  ["name: ci", "on: push", "permissions:", "  contents: read", "jobs:", "  run:", "    steps:", ...steps].join("\n");

test("POL1 the workflows of this repository pin every action", () => {
  expect(runScript("check-workflows.ts")).toEqual({ status: 0, lines: ["workflows: 2 files, 0 faults"] });
});

test("POL1 an action of this repository, and one with its commit and version, are no faults", () => {
  const text = workflow(
    `      - uses: actions/checkout@${HASH} # v5.0.0`,
    "      - uses: ./.github/actions/own",
    `        uses: owner/name/path@${HASH} # v1.2.3`,
    "      # - uses: actions/checkout@v5",
    '      - run: echo "what one uses"',
  );
  expect(checkWorkflows(writeTree({ ".github/workflows/a.yml": text }))).toEqual([]);
});

test.each([
  "      - uses: actions/checkout@v5",
  "      - uses: actions/checkout@main # v5.0.0",
  `      - uses: actions/checkout@${HASH}`,
  `      - uses: actions/checkout@${HASH.slice(1)} # v5.0.0`,
  `      - uses: actions/checkout@${HASH}0 # v5.0.0`,
  "      - { uses: actions/checkout@v5 }",
  '      - "uses": actions/checkout@v5',
  "      - uses : actions/checkout@v5",
  "      - uses: docker://alpine:3",
  "        uses: >-",
])("POL1 found: %s", (step) => {
  const root = writeTree({ ".github/workflows/a.yaml": workflow(step), ".github/actions/own/action.yml": "runs:" });
  expect(checkWorkflows(root).map(({ path, line }) => `${path}:${line}`)).toEqual([".github/workflows/a.yaml:8"]);
  expect(runScript("check-workflows.ts", root).status).toBe(1);
});

test.each(["on: push", "permissions: write-all"])("POL1 found: a workflow that says only %s", (text) => {
  const faults = checkWorkflows(writeTree({ ".github/workflows/a.yml": text }));
  expect(faults.map(({ sentence }) => sentence)).toEqual([
    "has no permissions for all jobs; write permissions: contents: read",
  ]);
});

const lockfile = `lockfileVersion: '9.0'

importers:
  .:
    dependencies:
      old: { specifier: 1.0.0, version: 1.0.0 }

packages:

  '@scope/young@2.0.0-rc.1':
    resolution: {integrity: sha512-a}

  old@1.0.0:
    resolution: {integrity: sha512-b}

snapshots:

  old@1.0.0: {}
`;
const NOW = Date.parse("2026-01-10T00:00:00Z");
const HOUR = 60;

interface Registry {
  readonly url: string;
  readonly asked: readonly string[];
}

async function registry(times: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<Registry> {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const time = times[decodeURIComponent(url.slice(1))];
    response.writeHead(time ? 200 : 404).end(JSON.stringify({ time }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const published = {
  "@scope/young": { "2.0.0-rc.1": "2026-01-09T23:00:00Z" },
  old: { "1.0.0": "2025-01-01T00:00:00Z" },
};

async function faultsWith(
  url: string,
  exceptions: readonly string[] = [],
  root: string = writeTree({}),
): Promise<readonly string[]> {
  const versions = listLockedVersions(lockfile);
  const found = await findReleaseTimes(versions, { registry: url, cache: join(root, "times.json") });
  const faults = checkReleaseAges({ versions, ...found, minimumMinutes: 72 * HOUR, exceptions, now: NOW });
  return faults.map(({ path, line, sentence }) => `${path}:${line} ${sentence.split(";")[0]}`);
}

test("POL2 a version that is too young is found on its line, and an old one is none", async () => {
  const { url, asked } = await registry(published);
  expect(await faultsWith(url)).toEqual([
    "pnpm-lock.yaml:10 @scope/young@2.0.0-rc.1: published 2026-01-09T23:00:00Z, 60 minutes ago",
  ]);
  expect(asked.toSorted()).toEqual(["/@scope%2fyoung", "/old"]);
});

test("POL2 an exception lets one version pass, and one for nothing is found", async () => {
  const { url } = await registry(published);
  expect(await faultsWith(url, ["@scope/young@2.0.0-rc.1"])).toEqual([]);
  expect(await faultsWith(url, ["@scope/young@2.0.0-rc.1", "old@0.9.0"])).toEqual([
    "pnpm-workspace.yaml:1 minimumReleaseAgeExclude names old@0.9.0, which is not in pnpm-lock.yaml",
  ]);
});

test("POL2 times that are known are not asked for again", async () => {
  const root = writeTree({});
  const { url, asked } = await registry(published);
  await faultsWith(url, [], root);
  await faultsWith(url, [], root);
  expect(asked).toHaveLength(2);
});

test("POL2 a registry that is not there, or knows nothing of a version, is a fault for each", async () => {
  const { url } = await registry({ old: { "0.9.0": "2025-01-01T00:00:00Z" } });
  expect(await faultsWith(url)).toEqual([
    "pnpm-lock.yaml:10 @scope/young@2.0.0-rc.1: the registry answered 404",
    "pnpm-lock.yaml:13 old@1.0.0: the registry does not know when it was published",
  ]);
  const silent = await faultsWith("http://127.0.0.1:9/");
  expect(silent).toHaveLength(2);
  expect(silent[0]).toContain("the registry cannot be reached");
});

test("POL2 the age and its exceptions are those of pnpm", () => {
  const text = "minimumReleaseAge: 60\nminimumReleaseAgeExclude:\n  - a@1.0.0 # why\n  - '@b/c@2.0.0'\nother: 1\n";
  expect(parseAgeSettings(text)).toEqual({ minimumMinutes: 60, exceptions: ["a@1.0.0", "@b/c@2.0.0"] });
  expect(() => parseAgeSettings("packages:\n")).toThrow("no minimumReleaseAge");
});
