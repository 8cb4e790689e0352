/** Where the true values come from that a permitted command gets. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Vault } from "@pith/context/secrets";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSampleSecrets } from "../../context/test/support/sample-secrets.ts";
import { createSeededRandom } from "../../context/test/support/seeded-random.ts";
import { createSecretSource } from "../src/secret-source.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-home-"));
});

afterEach(() => rmSync(home, { recursive: true }));

const { signal } = new AbortController();
const [one, two] = createSampleSecrets(2, createSeededRandom(9)).map(({ secret }) => secret);

function source(environment: Record<string, string> = {}, vault: Vault | null = null) {
  const variables = { PATH: process.env.PATH ?? "", HOME: home, ...environment };
  return createSecretSource({
    vault,
    environment: variables,
    home,
    writable: [],
    withheldVariables: ["ANTHROPIC_API_KEY"],
  });
}

test("SEC19 a placeholder resolves to its secret, and an unknown placeholder resolves to null", async () => {
  const vault = new Vault({ digest: () => "5f0c1a9b3d27aaaa", environment: {} });
  const placeholder = vault.redact(`token ${one}`).replace("token ", "");
  expect(await source({}, vault).resolvePlaceholder(placeholder)).toBe(one);
  expect(await source({}, vault).resolvePlaceholder("PITH_SECRET_github_000000000000")).toBe(null);
  expect(await source().resolvePlaceholder(placeholder)).toBe(null);
});

test("SEC19 an environment variable is passed on, except the API key of a model provider", () => {
  const { readVariable } = source({ DEPLOY_TOKEN: "x", ANTHROPIC_API_KEY: "y" });
  expect([readVariable("DEPLOY_TOKEN"), readVariable("ANTHROPIC_API_KEY"), readVariable("NONE")]).toEqual([
    "x",
    null,
    null,
  ]);
});

test("SEC28 properties that every object has are not environment variables", () => {
  const { readVariable } = source();
  expect(["constructor", "__proto__", "toString"].map(readVariable)).toEqual([null, null, null]);
});

/** As a file of npm's names a variable. */
const named = (variable: string): string => `\${${variable}}`;

test("SEC19 the login of a program is its existing credential files with the variables that they name", async () => {
  const { findLogin } = source({ NPM_TOKEN: "t", ANTHROPIC_API_KEY: "y" });
  const loginOptions = { hosts: ["example.com"], signal };
  expect(await findLogin("npm", loginOptions)).toBe(null);
  writeFileSync(
    join(home, ".npmrc"),
    `//x/:_authToken=${named("NPM_TOKEN")}\n//y/:_authToken=${named("ANTHROPIC_API_KEY")}\n`,
  );
  mkdirSync(join(home, ".cargo"));
  writeFileSync(join(home, ".cargo/credentials.toml"), "[registry]\n");
  expect(await findLogin("npm", loginOptions)).toEqual({
    environment: { NPM_TOKEN: "t" },
    credentialFiles: ["~/.npmrc"],
  });
  expect(await findLogin("cargo", loginOptions)).toEqual({
    environment: {},
    credentialFiles: ["~/.cargo/credentials.toml"],
  });
  expect(await findLogin("pip", loginOptions)).toBe(null);
});

test("SEC20 git's credential helper is called only for the named hosts, and git finds the header in its variables", async () => {
  const helper = join(home, "helper");
  writeFileSync(
    helper,
    `#!/bin/sh\n[ "$1" = get ] || exit 0\nhost=$(sed -n 's/^host=//p')\necho "$host" >> ${home}/asked\n[ "$host" = git.example ] && printf 'username=ann\\npassword=${two}\\n'\nexit 0\n`,
  );
  chmodSync(helper, 0o755);
  writeFileSync(join(home, ".gitconfig"), `[credential]\n\thelper = ${helper}\n`);
  const vault = new Vault({ digest: () => "5f0c1a9b3d27aaaa", environment: {} });
  const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Ann" };
  const login = await source(given, vault).findLogin("git", { hosts: ["git.example", "none.example"], signal });
  const header = `Authorization: Basic ${Buffer.from(`ann:${two}`).toString("base64")}`;
  expect(login).toEqual({
    environment: {
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_1: "http.https://git.example/.extraHeader",
      GIT_CONFIG_VALUE_1: header,
    },
    credentialFiles: [],
  });
  const env = { PATH: process.env.PATH, HOME: home, ...given, ...login?.environment };
  const readHeader = (url: string): string =>
    execFileSync("git", ["config", "--get-urlmatch", "http.extraHeader", url], { env, cwd: home, encoding: "utf8" });
  expect(readHeader("https://git.example/ann/x.git")).toBe(`${header}\n`);
  expect(() => readHeader("https://other.example/ann/x.git")).toThrow();
  expect(vault.redact(`${header} ${two}`)).not.toContain(two);
  expect(vault.redact(header)).not.toContain(header.slice(-20));
});

test("SEC20 a git executable in a folder that commands can write to is not run", async () => {
  const [folder, link] = [join(home, "bin"), join(home, "link")];
  mkdirSync(folder);
  symlinkSync(folder, link);
  writeFileSync(join(folder, "git"), `#!/bin/sh\ntouch ${home}/HIT\necho password=x\n`, { mode: 0o755 });
  const environment = { PATH: `${folder}:${link}`, HOME: home };
  const { findLogin } = createSecretSource({ vault: null, environment, home, writable: [link], withheldVariables: [] });
  expect(await findLogin("git", { hosts: ["git.example"], signal })).toBe(null);
  expect(existsSync(join(home, "HIT"))).toBe(false);
});

test.each([
  ["a folder of PATH", "bin"],
  ["a folder to which a link in PATH leads", "link"],
])("SEC26 a credential helper of git is not run if a command could have put it into %s", async (_, name) => {
  const folder = join(home, "bin");
  mkdirSync(folder);
  symlinkSync(folder, join(home, "link"));
  writeFileSync(join(folder, "own-helper"), `#!/bin/sh\ntouch ${home}/HIT\nprintf 'username=ann\\npassword=x\\n'\n`, {
    mode: 0o755,
  });
  writeFileSync(join(home, ".gitconfig"), '[credential]\n\thelper = "!own-helper"\n');
  const environment = { PATH: `${join(home, name)}:${process.env.PATH}`, HOME: home };
  const login = (writable: readonly string[]) =>
    createSecretSource({ vault: null, environment, home, writable, withheldVariables: [] }).findLogin("git", {
      hosts: ["a.example"],
      signal,
    });
  expect(await login([folder])).toBe(null);
  expect(existsSync(join(home, "HIT"))).toBe(false);
  expect(await login([])).not.toBe(null);
});

test("SEC20 without stored git credentials there is no login, and git does not prompt for one", async () => {
  expect(await source().findLogin("git", { hosts: ["git.example"], signal })).toBe(null);
  expect(await source().findLogin("git", { hosts: [], signal })).toBe(null);
});
