/** Tests check-supply-chain: actions without a commit and versions that are too young are reported; a registry that does not answer is a fault. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  checkReleaseAges,
  checkWorkflows,
  findReleaseTimes,
  listLockedVersions,
  parseAgeSettings,
} from "../check-supply-chain.ts";
import { runScript, writeTree } from "./run-script.ts";

const HASH = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";
const workflow = (...steps: readonly string[]): string =>
  ["name: ci", "on: push", "permissions:", "  contents: read", "jobs:", "  run:", "    steps:", ...steps].join("\n");

test("POL1 the workflows of this repository pin every action", () => {
  expect(runScript("check-supply-chain.ts")).toEqual({ status: 0, lines: ["workflows: 2 files, 0 faults"] });
});

test("POL1 an action of this repository, and one with its commit and version, are accepted", () => {
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
])("POL1 an action that is not pinned is reported: %s", (step) => {
  const root = writeTree({ ".github/workflows/a.yaml": workflow(step), ".github/actions/own/action.yml": "runs:" });
  expect(checkWorkflows(root).map(({ path, line }) => `${path}:${line}`)).toEqual([".github/workflows/a.yaml:8"]);
  expect(runScript("check-supply-chain.ts", root).status).toBe(1);
});

test.each(["on: push", "permissions: write-all"])("POL1 a workflow with only %s is reported", (text) => {
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
  readonly requests: readonly string[];
}

async function startRegistry(times: Readonly<Record<string, Readonly<Record<string, string>>>>): Promise<Registry> {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const time = times[decodeURIComponent(url.slice(1))];
    response.writeHead(time ? 200 : 404).end(JSON.stringify({ time }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
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

test("POL2 a version that is too young is reported with its line, and an old one is accepted", async () => {
  const { url, requests } = await startRegistry(published);
  expect(await faultsWith(url)).toEqual([
    "pnpm-lock.yaml:10 @scope/young@2.0.0-rc.1: published 2026-01-09T23:00:00Z, 60 minutes ago",
  ]);
  expect(requests.toSorted()).toEqual(["/@scope%2fyoung", "/old"]);
});

test("POL2 an exception permits one version, and an exception without a version is reported", async () => {
  const { url } = await startRegistry(published);
  expect(await faultsWith(url, ["@scope/young@2.0.0-rc.1"])).toEqual([]);
  expect(await faultsWith(url, ["@scope/young@2.0.0-rc.1", "old@0.9.0"])).toEqual([
    "pnpm-workspace.yaml:1 minimumReleaseAgeExclude names old@0.9.0, which is not in pnpm-lock.yaml",
  ]);
});

test("POL2 known times are not fetched again", async () => {
  const root = writeTree({});
  const { url, requests } = await startRegistry(published);
  await faultsWith(url, [], root);
  await faultsWith(url, [], root);
  expect(requests).toHaveLength(2);
});

test("POL2 a registry that does not respond or does not know a version is a fault for each version", async () => {
  const { url } = await startRegistry({ old: { "0.9.0": "2025-01-01T00:00:00Z" } });
  expect(await faultsWith(url)).toEqual([
    "pnpm-lock.yaml:10 @scope/young@2.0.0-rc.1: the registry answered 404",
    "pnpm-lock.yaml:13 old@1.0.0: the registry has no time of publication for it",
  ]);
  const unreachable = await faultsWith("http://127.0.0.1:9/");
  expect(unreachable).toHaveLength(2);
  expect(unreachable[0]).toContain("the registry cannot be reached");
});

test("POL2 the minimum age and its exceptions are the settings of pnpm", () => {
  const text = "minimumReleaseAge: 60\nminimumReleaseAgeExclude:\n  - a@1.0.0 # why\n  - '@b/c@2.0.0'\nother: 1\n";
  expect(parseAgeSettings(text)).toEqual({ minimumMinutes: 60, exceptions: ["a@1.0.0", "@b/c@2.0.0"] });
  expect(() => parseAgeSettings("packages:\n")).toThrow("no minimumReleaseAge");
});
