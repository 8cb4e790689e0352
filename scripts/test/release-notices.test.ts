/** Tests the notices and the bill of materials of the built program: they name everything in it that is not ours, and a build fails if a licence is missing. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LICENCE_EXCEPTIONS, readBundleContent } from "../release/bundled-packages.ts";
import { createSbom, formatNotices, NOTICES_FILE, SBOM_FILE } from "../release/notices.ts";
import { runScript, writeTree } from "./run-script.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "pith-notices-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Component {
  readonly type: string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly hashes?: readonly { readonly content: string }[];
}
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}
let sbom: Sbom;
let notices = "";

beforeAll(() => {
  expect(runScript("build-program.ts", folder).status).toBe(0);
  sbom = JSON.parse(readFileSync(join(folder, SBOM_FILE), "utf8"));
  notices = readFileSync(join(folder, NOTICES_FILE), "utf8");
});

test("REL1 the bill of materials and the notices name every package in the bundle, and nothing else", async () => {
  const found = [...(await packagesInSourceMaps()), COPIED_LIBRARY];
  const libraries = sbom.components.filter(({ type }) => type === "library").map(titleOf);
  expect(libraries.toSorted()).toEqual(found.toSorted());
  for (const title of found) expect(notices).toContain(`\n${title}: `);
  expect(notices.match(/^\S+ \d\S*: .*, text /gm)?.length).toBe(found.length + 1);
});

/** It is copied beside the bundle, and not part of it. */
const COPIED_LIBRARY = "@silvia-odwyer/photon-node 0.3.4";

test("REL1 data that our modules are generated from is named with its licence", () => {
  const data = sbom.components.filter(({ type }) => type === "data").map(titleOf);
  expect(data).toEqual(["gitleaks", expect.stringMatching(/^@earendil-works\/pi-ai \d+\.\d+\.\d+$/), "models.dev"]);
  for (const line of ["Copyright (c) 2019 Zachary Rice", "Copyright (c) 2025 spin.dev"])
    expect(notices).toContain(line);
});

test("REL2 the bill of materials is valid CycloneDX 1.6, and the graph of dependencies reaches everything", async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(JSON.stringify(sbom))).toBeNull();
  expect(await validator.validate(JSON.stringify({ ...sbom, components: [{ type: "library" }] }))).not.toBeNull();
  const { name, version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  expect(sbom.metadata.component).toMatchObject({ name, version });
  const graph = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []]));
  const reached = new Set([`pkg:npm/${name}@${version}`]);
  for (const ref of reached) for (const next of graph.get(ref) ?? []) reached.add(next);
  expect([...reached].toSorted()).toEqual([...graph.keys()].toSorted());
  expect(reached.size).toBe(sbom.components.length + 1);
});

test("REL2 every package has the hash of the lockfile, and the same bundle gives the same bytes", () => {
  for (const { type, hashes } of sbom.components)
    if (type === "library") expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
  const moduleIds = [join(root, "node_modules/fast-check/lib/fast-check.js")];
  const write = (): string => {
    const content = readBundleContent({ moduleIds, root });
    const program = { name: "a", version: "1.0.0", licence: "MIT", description: "" };
    const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8");
    return formatNotices(program, content) + JSON.stringify(createSbom({ program, ...content, lockfile }));
  };
  expect(write()).toBe(write());
  expect(write()).not.toContain(root);
});

const MODULE = "node_modules/dep/index.js";
const manifest = (more: object): string => JSON.stringify({ name: "dep", version: "1.0.0", license: "MIT", ...more });
const read = (tree: Readonly<Record<string, string>>, module: string = MODULE) => {
  const place = writeTree({ [module]: "/** A module. */", ...tree });
  return readBundleContent({ moduleIds: [join(place, module)], root: place });
};

test("REL3 a package with a licence and its text passes, with the licences of what it contains", () => {
  const { packages } = read({
    "node_modules/dep/package.json": manifest({}),
    "node_modules/dep/LICENSE": "The text.\r\n\r\n",
    "node_modules/dep/src/inner/LICENSE.md": "The inner text.",
    "node_modules/dep/src/license.ts": "code",
    "node_modules/dep/node_modules/other/LICENSE": "Of another package.",
  });
  expect(packages).toMatchObject([{ name: "dep", licence: "MIT", texts: ["The text.", "The inner text."] }]);
});

test.each([
  [
    "no licence file",
    { "node_modules/dep/package.json": manifest({}) },
    "dep 1.0.0 is in the bundle, and its folder has no licence file",
  ],
  [
    "only the licence of code that it contains",
    { "node_modules/dep/package.json": manifest({}), "node_modules/dep/src/LICENSE": "inner" },
    "its folder has no licence file",
  ],
  [
    "no licence id",
    { "node_modules/dep/package.json": manifest({ license: undefined }), "node_modules/dep/LICENSE": "text" },
    "its licence null is not one of PERMITTED_LICENCES",
  ],
  [
    "a licence that is not permitted",
    { "node_modules/dep/package.json": manifest({ license: "GPL-3.0-only" }), "node_modules/dep/LICENSE": "text" },
    'its licence "GPL-3.0-only" is not one of PERMITTED_LICENCES',
  ],
  [
    "the short notice of Apache-2.0 alone",
    { "node_modules/dep/package.json": manifest({ license: "Apache-2.0" }), "node_modules/dep/LICENSE": "see there" },
    "none of them has the whole text",
  ],
  ["no package.json with a name", { "node_modules/dep/package.json": "{}" }, "no package.json with a name"],
])("REL3 a package with %s fails the build", (_, tree, sentence) => {
  expect(() => read(tree)).toThrow(sentence);
});

test("REL3 a module generated from third-party work that is not in the table fails the build", () => {
  const module = "packages/a/src/made.ts";
  expect(() =>
    read({ [module]: "/** Generated from x (see NOTICE.md). */", "packages/a/package.json": "{}" }, module),
  ).toThrow("packages/a/src/made.ts is generated from the work of others");
});

test("REL3 every exception is used by the program", () => {
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name));
  for (const { name } of LICENCE_EXCEPTIONS) expect(names).toContain(name);
});

function titleOf({ group, name, version }: Component): string {
  return [group ? `${group}/${name}` : name, version].filter(Boolean).join(" ");
}

/** Finds the packages of the program in another way: by the sources in the source maps of an unminified bundle. */
async function packagesInSourceMaps(): Promise<readonly string[]> {
  const bundle = await rolldown({
    input: join(root, "packages/cli/src/launcher.ts"),
    platform: "node",
    external: [...listExternalImports()],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({
    format: "esm",
    sourcemap: true,
    dir: join(root, "packages/cli/dist/program"),
  });
  await bundle.close();
  const sources = output.flatMap((file) => (file.type === "chunk" ? (file.map?.sources ?? []) : []));
  const titles = sources.flatMap((source) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
    const [, version] = /node_modules\/\.pnpm\/(?:@?[^@/]+)@([^_/]+)/.exec(source) ?? [];
    return name && version ? [`${name} ${version}`] : [];
  });
  const { version } = JSON.parse(readFileSync(join(root, "node_modules/rolldown/package.json"), "utf8"));
  return [...new Set([...titles, `rolldown ${version}`])];
}

/** Lists the optional dependencies that the built program imports and does not contain. */
function listExternalImports(): readonly string[] {
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  const names = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
  const code = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const isImported = (name: string): boolean => new RegExp(`(?:from|import\\()\\s*["'\`]${name}["'\`]`).test(code);
  return Object.keys(optionalDependencies).filter(isImported);
}
