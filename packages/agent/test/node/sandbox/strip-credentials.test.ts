/** Tests node/sandbox/copy-configuration.ts: realistic tool configuration before and after its credentials are removed. */

import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  copyConfigurations,
  parseGitConfig,
  stripGitConfig,
  stripGoEnv,
  stripGradleProperties,
  stripIni,
  stripMavenSettings,
  stripNpmrc,
  stripToml,
  stripYarnrc,
} from "../../../src/node/sandbox/copy-configuration.ts";
import { createSandboxFolders, ranIn, sandboxOptions } from "../../support/sandbox-folders.ts";

/** The value of every secret; none may be left. */
const S = "hunter2";

test("BOX15 git: the user's name stays; logins, headers, commands and signing are removed", () => {
  const text = `# mine
[user] name = "Ada \\"the\\" Lovelace" ; comment
	email = ada@example.com
	signingkey = ${S}
[credential]
	helper = store --file ~/${S}
[credential "https://example.com"]
	username = ${S}
[http "https://example.com/"]
	extraheader = Authorization: Basic ${S}
	sslVerify = false
[http]
	proxy = http://me:${S}@proxy.example.com:3128
	cookieFile = ~/${S}
[url "https://me:${S}@example.com/"]
	insteadOf = https://example.com/
[url "https://example.com/"]
	insteadOf = git@example.com:
	pushInsteadOf = https://me:${S}@example.com/
[core]
	editor = vim
	sshCommand = ssh -i ~/${S}
	fsmonitor = ${S}
	autocrlf = input
	askPass = ${S}
[commit]
	gpgSign = true
[alias]
	push-it = "!curl -H ${S}"
[filter "lfs"]
	process = git-lfs filter-process
	required
[sendemail]
	smtpPass = ${S}
[github.oauth]
	token = ${S}
[includeIf "gitdir:~/work/"]
	path = ~/.gitconfig-work
[pull]
	rebase = \\
true
[broken "section]
	name = ${S}
[safe]
	directory = *
`;
  const stripped = stripGitConfig(text);
  expect(stripped).not.toContain(S);
  expect(
    parseGitConfig(stripped).map(({ section, subsection, name, value }) => [section, subsection, name, value]),
  ).toEqual([
    ["user", null, "name", 'Ada "the" Lovelace'],
    ["user", null, "email", "ada@example.com"],
    ["http", "https://example.com/", "sslVerify", "false"],
    ["http", null, "proxy", "http://proxy.example.com:3128"],
    ["url", "https://example.com/", "insteadOf", "git@example.com:"],
    ["url", "https://example.com/", "pushInsteadOf", "https://example.com/"],
    ["core", null, "autocrlf", "input"],
    ["filter", "lfs", "process", "git-lfs filter-process"],
    ["filter", "lfs", "required", null],
    ["includeIf", "gitdir:~/work/", "path", "~/.gitconfig-work"],
    ["pull", null, "rebase", "true"],
    ["safe", null, "directory", "*"],
  ]);
});

test.each<[string, (text: string) => string, string, string]>([
  [
    "npm",
    stripNpmrc,
    `; mine\nregistry=https://me:${S}@npm.example.com/\n@org:registry = https://npm.org.example/\n//npm.example.com/:_authToken=${S}\n//npm.example.com/:_password="${S}"\n//npm.example.com/:username=${S}\n_auth=${S}\n_authToken = ${S}\n"//npm.example.com/:_authToken"=${S}\nemail=${S}\nkey="-----BEGIN ${S}"\ncertfile=/${S}\nhttps-proxy=http://me:${S}@proxy.example.com:8080/\nfund=false\nnode-options=--max-old-space-size=4096\n`,
    "registry=https://npm.example.com/\n@org:registry=https://npm.org.example/\nhttps-proxy=http://proxy.example.com:8080/\nfund=false\nnode-options=--max-old-space-size=4096\n",
  ],
  [
    "pip",
    stripIni,
    `[global]\nindex-url = https://me:${S}@pypi.example.com/simple\nextra-index-url: https://a.example.com/simple\n    https://${S}@b.example.com/simple\n    https://c.example.com/${S}x${S}9384756/simple\ntimeout = 60\nclient-cert = ~/${S}\nproxy = http://me:${S}@proxy.example.com\n[install]\npassword = ${S}\n   ${S}\n; ${S}\ntrusted-host = a.example.com\n`,
    "[global]\nindex-url = https://pypi.example.com/simple\nextra-index-url = https://a.example.com/simple\n    https://b.example.com/simple\ntimeout = 60\nproxy = http://proxy.example.com\n[install]\ntrusted-host = a.example.com\n",
  ],
  [
    "cargo",
    stripToml,
    `[registry]\ntoken = "${S}"\ndefault = "org"\nglobal-credential-providers = ["cargo:token", "${S}"]\n[registries.org]\nindex = "sparse+https://me:${S}@cargo.example.com/index/" # ${S}\ntoken = """\n${S}\n"""\ncredential-provider = "${S}"\n[registries]\nb = { index = "https://b.example.com", token = "${S}" }\nc = { index = "https://c.example.com" }\n[credential-alias]\na = ["${S}"]\n[env]\nX = "${S}"\n[source."https://me:${S}@d.example.com/"]\nreplace-with = "e"\n[net]\ngit-fetch-with-cli = true\nretry = 3\n[build]\nrustflags = [\n  "-C",\n  "target-cpu=native",\n]\nopen = "${S}\n`,
    '[registry]\ndefault = "org"\n[registries.org]\nindex = "sparse+https://cargo.example.com/index/"\n[registries]\nc = { index = "https://c.example.com" }\n[net]\ngit-fetch-with-cli = true\nretry = 3\n[build]\nrustflags = [\n  "-C",\n  "target-cpu=native",\n]\n',
  ],
  [
    "mise",
    stripToml,
    `[tools]\nnode = { version = "22", env = { DB = "${S}" } }\ngo = { env = { DB = "${S}" }, version = "1" }\npython = { version = "3" }\n[settings]\njobs = 4\n`,
    '[tools]\npython = { version = "3" }\n[settings]\njobs = 4\n',
  ],
  [
    "environment variables of mise",
    stripToml,
    `tools.node.env.DB = "${S}"\ntasks."env".DB = "${S}"\n[tools]\nnode = { version = "1", env.DB = "${S}" }\ngo = { version = "1", "env".DB = "${S}" }\nrust = { "=".env.DB = "${S}" }\nzig = { "\\u0065nv" = { DB = "${S}" } }\nruby = { postinstall.env.DB = "${S}", version = "3" }\npython = { version = "3", os = ["linux"] }\n[tools.node.env]\nDB = "${S}"\n[tasks.build.env]\nDB = "${S}"\n[tasks.'env']\nDB = "${S}"\n[[tasks.env]]\nDB = "${S}"\n[tasks.build]\nrun = "make"\n[settings]\nenvironments = 2\n`,
    '[tools]\npython = { version = "3", os = ["linux"] }\n[tasks.build]\nrun = "make"\n[settings]\nenvironments = 2\n',
  ],
  [
    "go",
    stripGoEnv,
    `GOPROXY=https://me:${S}@go.example.com,https://proxy.example.org|direct\nGOAUTH=netrc ${S}\nGOPRIVATE=example.com/*\nAWS_SECRET=${S}\n`,
    "GOPROXY=https://go.example.com,https://proxy.example.org|direct\nGOPRIVATE=example.com/*\n",
  ],
  [
    "gradle",
    stripGradleProperties,
    `org.gradle.jvmargs=-Xmx2g \\\n  -Dfile.encoding=UTF-8\nnexusPassword=${S}\nsystemProp.https.proxyHost=proxy.example.com\nsystemProp.https.proxyPassword=${S}\nsystemProp.https.proxyUser=${S}\n`,
    "org.gradle.jvmargs=-Xmx2g -Dfile.encoding=UTF-8\nsystemProp.https.proxyHost=proxy.example.com\n",
  ],
  [
    "yarn",
    stripYarnrc,
    `npmRegistryServer: "https://npm.example.com"\nnpmAuthToken: ${S}\nnpmScopes:\n  org:\n    npmRegistryServer: "https://me:${S}@org.example.com"\n    npmAuthToken: "${S}"\nnpmRegistries:\n  "//npm.example.com":\n    npmAuthToken: ${S}\nnodeLinker: node-modules\n`,
    'npmRegistryServer: "https://npm.example.com"\nnpmScopes:\n  org:\n    npmRegistryServer: "https://org.example.com"\nnodeLinker: node-modules\n',
  ],
  [
    "maven",
    stripMavenSettings,
    `<settings><servers><server><id>a</id><password>${S}</password></server></servers><mirrors><mirror><id>a</id><url>https://me:${S}@maven.example.com/</url><mirrorOf>*</mirrorOf></mirror></mirrors></settings>`,
    "<settings>\n  <mirrors>\n    <mirror><id>a</id><url>https://maven.example.com/</url><mirrorOf>*</mirrorOf></mirror>\n  </mirrors>\n</settings>\n",
  ],
])("BOX15 %s: addresses and harmless settings stay, credentials are removed", (_, strip, text, expected) => {
  const stripped = strip(text);
  expect(stripped).not.toContain(S);
  expect(stripped).toBe(expected);
});

describe("copies", () => {
  function put(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  test("BOX15 a commit has the user's own name, also from an included file, and commands may change the copy", async () => {
    const folders = createSandboxFolders();
    put(
      join(folders.home, ".gitconfig"),
      "[include]\n\tpath = ~/.config/git/me\n\tpath = ~/.ssh/id_ed25519\n[commit]\n\tgpgsign = true\n",
    );
    put(join(folders.home, ".config/git/me"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
    await copyConfigurations({ ...folders, environment: {} });
    const command =
      "git commit -q --allow-empty -m first && git log --format='%an %ae' && git config --global --add safe.directory '*'";
    const { end, text } = await ranIn(sandboxOptions(folders), command);
    expect({ end, text }).toEqual({
      end: { type: "ended", exitCode: 0 },
      text: expect.stringMatching(/^pith: the commit is not signed: .*\nAda ada@example\.com\n$/),
    });
    expect(existsSync(join(folders.privateHome, ".ssh"))).toBe(false);
  });

  test("BOX15 npm sees the registry and not the token, and a value that looks like a token is removed whatever its name", async () => {
    const folders = createSandboxFolders();
    const key = `ghp_${"A1b2C3d4E5f6G7h8I9j0".repeat(2).slice(0, 36)}`;
    put(join(folders.home, ".cargo/config.toml"), `[net]\nretry = 3\n[x]\nharmless = "${key}"\n`);
    await copyConfigurations({ ...folders, environment: {} });
    const read = (name: string): string => readFileSync(join(folders.privateHome, name), "utf8");
    expect(read(".npmrc")).toBe("registry=https://registry.example.com/\n");
    expect(read(".cargo/config.toml")).toBe("[net]\nretry = 3\n[x]\n");
    expect(lstatSync(join(folders.privateHome, ".npmrc")).mode & 0o777).toBe(0o600);
  });

  test("BOX15 a link that a command left in the private home is not followed", async () => {
    const folders = createSandboxFolders();
    put(join(folders.home, ".config/git/config"), "[user]\n\tname = Ada\n");
    symlinkSync(folders.outside, join(folders.privateHome, ".config"));
    symlinkSync(join(folders.outside, "npmrc"), join(folders.privateHome, ".npmrc"));
    await copyConfigurations({ ...folders, environment: {} });
    expect(execFileSync("ls", ["-A", folders.outside]).toString()).toBe("file\n");
    expect(lstatSync(join(folders.privateHome, ".npmrc")).isFile()).toBe(true);
  });
});
