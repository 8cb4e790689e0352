/** Tests check-tarballs and publish: packed packages are checked as users get them, and a run that failed halfway can be finished. */

import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PROGRAM_NAME } from "../packages.ts";
import { checkTarballs, readTarballs, sortForPublishing, type Tarball } from "../release/check-tarballs.ts";
import { writeTree } from "./run-script.ts";

/** Writes tarballs of these manifests into a folder. */
function pack(
  manifests: readonly Readonly<Record<string, unknown>>[],
  more: Readonly<Record<string, string>> = {},
): string {
  const folder = writeTree(
    Object.fromEntries(
      manifests.flatMap((manifest, index) => [
        [`${index}/package/package.json`, JSON.stringify({ version: "1.2.3", ...manifest })],
        ...Object.entries({ LICENSE: "text", "README.md": "text", ...more }).map(([path, text]) => [
          `${index}/package/${path}`,
          text,
        ]),
      ]),
    ),
  );
  for (const index of manifests.keys())
    execFileSync("tar", ["-czf", `${index}.tgz`, "-C", String(index), "package"], { cwd: folder });
  return folder;
}

const faultsOf = (folder: string, names: readonly string[]) =>
  checkTarballs(readTarballs(folder), { version: "1.2.3", names });

test("REL6 packages with one version that depend on each other by it have no faults", () => {
  const folder = pack(
    [
      { name: "@pith/base", exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } } },
      { name: "@pith/top", dependencies: { "@pith/base": "^1.2.3", other: "^1.0.0" } },
    ],
    { "dist/index.js": "", "dist/index.d.ts": "" },
  );
  expect(faultsOf(folder, ["@pith/base", "@pith/top"])).toEqual([]);
});

test.each([
  [{ version: "1.2.4" }, "its version is 1.2.4, not 1.2.3"],
  [{ dependencies: { "@pith/b": "workspace:^" } }, "its package.json has a range that works only in the workspace"],
  [{ devDependencies: { "@pith/b": "workspace:*" } }, "its package.json has a range that works only in the workspace"],
  [{ dependencies: { "@pith/b": "^1.2.2" } }, "it depends on @pith/b ^1.2.2, not on ^1.2.3"],
  [{ scripts: { postinstall: "node x.js" } }, "it runs a script at installation (postinstall)"],
  [{ exports: { ".": "./dist/none.js" } }, "its package.json names dist/none.js, which it does not have"],
  [{ bin: { a: "./src/a.ts" } }, "its package.json names src/a.ts, which it does not have"],
])("REL6 a package with %j is reported", (manifest, sentence) => {
  const folder = pack([{ name: "@pith/a", ...manifest }]);
  const faults = faultsOf(folder, ["@pith/a", "@pith/b"]);
  expect(faults).toContain(`@pith/a: ${sentence}`);
  expect(faults).toContain("@pith/b was not packed");
});

test("REL6 a program with a dependency, without notices or a bill of materials, or with a source file is reported", () => {
  const folder = pack([{ name: PROGRAM_NAME, dependencies: { zod: "4.0.0" } }], { "src/index.ts": "" });
  expect(faultsOf(folder, [PROGRAM_NAME])).toEqual([
    `${PROGRAM_NAME}: it has the source src/index.ts`,
    `${PROGRAM_NAME}: it has no THIRD-PARTY-NOTICES`,
    `${PROGRAM_NAME}: it has no sbom.cdx.json`,
    `${PROGRAM_NAME}: it depends on zod, which should be in its bundle`,
  ]);
});

test("REL7 dependencies are published before what depends on them, and the program last", () => {
  const tarball = (name: string, ...needs: readonly string[]): Tarball => ({
    ...{ file: `${name}.tgz`, bytes: 1, files: [], sbom: null },
    manifest: { name, version: "1.0.0", dependencies: Object.fromEntries(needs.map((need) => [need, "^1.0.0"])) },
  });
  const list = [
    tarball(PROGRAM_NAME),
    tarball("@pith/a", "@pith/c"),
    tarball("@pith/b", "@pith/a"),
    tarball("@pith/c"),
  ];
  expect(sortForPublishing(list).map(({ manifest }) => manifest.name)).toEqual([
    "@pith/c",
    "@pith/a",
    "@pith/b",
    PROGRAM_NAME,
  ]);
});

test("REL7 a run that failed halfway publishes the rest when it is run again, and never replaces a published version", async () => {
  const refused = { name: "@pith/b" };
  const registry = await startRegistry(({ name }) => name === refused.name);
  // A tarball runs no scripts, not even those that refuse to publish a folder.
  const scripts = { prepack: "exit 1", prepublishOnly: "exit 1", prepare: "exit 1" };
  const folder = pack([
    { name: "@pith/a", scripts },
    { name: "@pith/b", scripts, dependencies: { "@pith/a": "^1.2.3" } },
    { name: PROGRAM_NAME, scripts },
  ]);
  const first = await registry.publish(folder);
  expect(first).toMatchObject({ status: 1, lines: ["@pith/a 1.2.3: published"] });
  expect(first.error).toContain(`On the registry: 1 of 3. Missing: @pith/b, ${PROGRAM_NAME}.`);
  refused.name = "";
  expect(await registry.publish(folder)).toMatchObject({
    status: 0,
    lines: ["@pith/a 1.2.3: published before", "@pith/b 1.2.3: published", `${PROGRAM_NAME} 1.2.3: published`],
  });
  expect(registry.published()).toEqual(["@pith/a@1.2.3", "@pith/b@1.2.3", `${PROGRAM_NAME}@1.2.3`]);
  expect(await registry.publish(folder)).toMatchObject({ status: 0 });
  const other = pack([{ name: "@pith/a", description: "other content" }]);
  const third = await registry.publish(other);
  expect(third.status).toBe(1);
  expect(third.error).toContain("@pith/a 1.2.3 is on the registry with other content.");
});

test("REL9 only the job in the protected environment can publish, without a stored token, and what the workflow runs exists", () => {
  const root = join(import.meta.dirname, "../..");
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const jobs = text.slice(text.indexOf("\njobs:\n")).split(/^(?= {2}\w+:$)/m);
  expect(jobs.filter((job) => job.includes("id-token: write"))).toEqual([
    expect.stringMatching(/^ {2}publish:\n[\s\S]*\n {4}environment: release\n/),
  ]);
  // The job that runs code of dependencies is another one.
  expect(jobs.find((job) => job.startsWith("  publish:"))).not.toMatch(/pnpm|\.ci\/run/);
  expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|_authToken/);
  const scripts = text.match(/(?:scripts|\.ci)\/[\w./-]+/g) ?? [];
  expect(scripts.length).toBeGreaterThan(4);
  expect(scripts.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const { scripts: commands } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const [, name = ""] of text.matchAll(/pnpm ([\w-]+:[\w-]+)/g)) expect(commands).toHaveProperty([name]);
});

interface Published {
  readonly name: string;
  readonly versions: Readonly<Record<string, object>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/** Starts a registry that stores what npm sends, and refuses some packages. */
async function startRegistry(refuses: (document: Published) => boolean) {
  const packages = new Map<string, object>();
  const list: string[] = [];
  const server = createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "").slice(1).replace(/\?.*$/, ""));
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method !== "PUT") return packages.has(name) ? answer(200, packages.get(name) ?? {}) : answer(404, {});
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      const document: Published = JSON.parse(text);
      if (refuses(document)) return answer(403, { error: "refused" });
      const [[version = "", manifest = {}] = []] = Object.entries(document.versions);
      const data = Object.values(document._attachments)[0]?.data ?? "";
      const integrity = `sha512-${createHash("sha512").update(Buffer.from(data, "base64")).digest("base64")}`;
      packages.set(name, { ...document, versions: { [version]: { ...manifest, dist: { integrity } } } });
      list.push(`${name}@${version}`);
      answer(201, { ok: true });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const home = writeTree({});
  writeFileSync(join(home, ".npmrc"), `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=any\n`);
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_userconfig: join(home, ".npmrc"),
    npm_config_cache: join(home, "cache"),
  };
  const script = join(import.meta.dirname, "../release/publish.ts");
  const publish = (folder: string): Promise<{ status: number; lines: readonly string[]; error: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, folder], { env, cwd: home }, (error, stdout, stderr) => {
        // npm itself prints the name of what it published.
        const lines = stdout
          .trim()
          .split("\n")
          .filter((line) => line.includes(": "));
        resolve({ status: error ? Number(error.code) : 0, lines, error: stderr });
      });
    });
  return { publish, published: () => list };
}
