/** The hosts of packages, as the user's own configuration names them. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPackageHostCheck, readPackageHosts } from "../../src/sandbox/package-hosts.ts";

let home: string;
let workspace: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-home-"));
  workspace = mkdtempSync(join(tmpdir(), "pith-work-"));
});

afterEach(() => {
  for (const folder of [home, workspace]) rmSync(folder, { recursive: true });
});

function place(path: string, text: string, mode = 0o644): void {
  const at = join(home, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text, { mode });
}

async function hosts(environment: Record<string, string> = {}): Promise<readonly string[]> {
  return [...(await readPackageHosts({ environment, home, writable: [workspace] }))].sort();
}

test.each([
  [
    ".npmrc",
    "registry=https://npm.example/\n@ours:registry = https://ours.example/npm/\n//x.example/:_authToken=y\n",
    ["npm.example", "ours.example"],
  ],
  [".yarnrc.yml", 'npmRegistryServer: "https://yarn.example"\nother: https://no.example\n', ["yarn.example"]],
  [".yarnrc", 'registry "https://yarn1.example"\n', ["yarn1.example"]],
  [".config/pnpm/rc", "registry=https://pnpm.example/\n", ["pnpm.example"]],
  [
    ".config/pip/pip.conf",
    "[global]\nindex-url = https://ann:word@pip.example/simple\nextra-index-url =\n  https://one.example/a\n  https://two.example/b\ntimeout = 60\n",
    ["one.example", "pip.example", "two.example"],
  ],
  [".config/uv/uv.toml", '[[index]]\nurl = "https://uv.example/simple"\n', ["uv.example"]],
  [
    ".cargo/config.toml",
    '[source.mirror]\nregistry = "sparse+https://crates.example/index/"\n[registries.own]\nindex = "https://own.example/git"\n[http]\nproxy = "https://no.example"\n',
    ["crates.example", "own.example"],
  ],
  [
    ".config/go/env",
    "GOPROXY=https://go.example|https://next.example,direct\nGOSUMDB=sum.example+abc https://sums.example\nGOFLAGS=https://no.example\n",
    ["go.example", "next.example", "sum.example", "sums.example"],
  ],
])("PERM32 the package hosts are read from %s", async (path, text, found) => {
  place(path, text);
  expect(await hosts()).toEqual(found);
});

test("PERM32 the package hosts are read from variables of npm, pip, uv, cargo and go", async () => {
  const environment = {
    npm_config_registry: "https://npm.example/",
    PIP_EXTRA_INDEX_URL: "https://one.example https://two.example",
    UV_DEFAULT_INDEX: "https://uv.example",
    CARGO_REGISTRIES_OWN_INDEX: "sparse+https://crates.example/",
    GOPROXY: "off",
    GOSUMDB: "sum.example",
    HTTPS_PROXY: "https://no.example",
  };
  expect(await hosts(environment)).toEqual(
    ["crates.example", "npm.example", "one.example", "sum.example", "two.example", "uv.example"].sort(),
  );
});

test("PERM32 npm and go are run in the home folder if nothing else names the hosts, but not an executable that a command could have put there", async () => {
  const say = (text: string): string => `#!/bin/sh\npwd > ${home}/ran\nprintf '${text}\\n'\n`;
  place("bin/npm", say("https://npm.example/"), 0o755);
  place("bin/go", say("https://go.example,direct\\nsum.example"), 0o755);
  const found = await hosts({ PATH: join(home, "bin") });
  expect(found).toEqual(["go.example", "npm.example", "sum.example"]);
  writeFileSync(join(workspace, "npm"), say("https://evil.example/"), { mode: 0o755 });
  expect(await hosts({ PATH: workspace })).toEqual([]);
});

test("SEC26 npm is run without variables that point into folders that commands can write", async () => {
  place("bin/npm", "#!/bin/sh\necho https://$OTHER$NPM_CONFIG_PREFIX.example/\n", 0o755);
  const link = join(home, "link");
  symlinkSync(workspace, link);
  for (const folder of [workspace, link]) {
    const environment = { PATH: join(home, "bin"), NPM_CONFIG_PREFIX: `-${folder}`, OTHER: "kept", GOPROXY: "off" };
    expect([...(await readPackageHosts({ environment, home, writable: [link] }))]).toEqual(["kept.example"]);
  }
});

test("PERM32 no configuration in the workspace is used, whether a variable, a link or the current folder leads to it", async () => {
  for (const name of ["pip.conf", "env", ".npmrc", "config.toml"])
    writeFileSync(
      join(workspace, name),
      'index-url = https://evil.example\nGOPROXY=https://evil.example\nregistry=https://evil.example\nindex = "https://evil.example"\n',
    );
  symlinkSync(join(workspace, ".npmrc"), join(home, ".npmrc"));
  const environment = {
    PIP_CONFIG_FILE: join(workspace, "pip.conf"),
    GOENV: join(workspace, "env"),
    CARGO_HOME: workspace,
  };
  expect(await hosts(environment)).toEqual([]);
  expect(await hosts({ GOENV: "off", PIP_CONFIG_FILE: "pip.conf" })).toEqual([]);
  const link = join(home, "link");
  symlinkSync(workspace, link);
  expect([...(await readPackageHosts({ environment, home, writable: [link] }))]).toEqual([]);
});

test("PERM32 the configuration is read at the first check, and only once", async () => {
  const isPackageHost = createPackageHostCheck({ environment: {}, home, writable: [workspace] });
  place(".npmrc", "registry=https://NPM.example/\n");
  expect(await isPackageHost("npm.Example")).toBe(true);
  place(".npmrc", "registry=https://other.example/\n");
  expect([await isPackageHost("npm.example"), await isPackageHost("other.example")]).toEqual([true, false]);
});

test("PROXY24 a registry with a port matches only that port if a port is given", async () => {
  place(".npmrc", "registry=http://10.0.0.5:4873/\n@ours:registry=https://npm.corp.internal/\n");
  place(".config/pip/pip.conf", "[global]\nindex-url = http://[fd00::5]/simple\n");
  writeFileSync(join(workspace, ".npmrc"), "registry=http://10.0.0.9/\n");
  const isPackageHost = createPackageHostCheck({ environment: {}, home, writable: [workspace] });
  for (const [host, port] of [
    ["10.0.0.5", 4873],
    ["npm.corp.internal", 443],
    ["fd00::5", 80],
  ] as const) {
    expect(await isPackageHost(host)).toBe(true);
    expect([await isPackageHost(host, port), await isPackageHost(host, 8080)]).toEqual([true, false]);
  }
  expect(await isPackageHost("10.0.0.9", 80)).toBe(false);
});
