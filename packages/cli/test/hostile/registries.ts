/** Registries of packages on hosts that the user's own configuration names: npm, pip, cargo and Go, and a repository of git beside them. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const REGISTRIES = { name: "packages.example.org", address: "93.184.216.36" };

const at = (registry: string): string => `http://${registry}.${REGISTRIES.name}`;

/** What stands in the user's own files: where packages come from. Each login is a secret that no sandboxed command may hold. */
export function registryConfiguration(login: string): Readonly<Record<"npm" | "pip" | "cargo" | "go", string>> {
  return {
    npm: `registry=${at("npm")}/\n//npm.${REGISTRIES.name}/:_authToken=${login}\n`,
    pip: `[global]\nindex-url = http://ada:${login}@pip.${REGISTRIES.name}/simple/\ntrusted-host = pip.${REGISTRIES.name}\n`,
    cargo: `[source.crates-io]\nreplace-with = "own"\n[source.own]\nregistry = "sparse+${at("cargo")}/"\n[registries.own]\ntoken = "${login}"\n`,
    go: `GOPROXY=${at("go")}\nGONOSUMDB=*\nGOSUMDB=off\nGOTOOLCHAIN=local\n`,
  };
}

export interface RegistryRequest {
  readonly host: string;
  readonly text: string;
}

export class Registries {
  readonly requests: RegistryRequest[] = [];

  static async open(): Promise<Registries> {
    const registries = new Registries();
    const folder = makePackages();
    const server = createServer((request, response) => {
      const host = request.headers.host ?? "";
      registries.requests.push({ host, text: `${request.method} ${request.url} ${request.rawHeaders.join(" ")}` });
      const path = join(folder, host.split(".")[0] ?? "", decodeURIComponent((request.url ?? "").replace(/\?.*/, "")));
      const file = [path, join(path, "index")].find((each) => existsSync(each) && statSync(each).isFile());
      if (file === undefined) return void response.writeHead(404).end();
      if (host.startsWith("pip.") && file.endsWith("index")) response.setHeader("content-type", "text/html");
      response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(80, REGISTRIES.address, resolve));
    return registries;
  }
}

function makePackages(): string {
  const folder = mkdtempSync(join(tmpdir(), "pith-registries-"));
  process.on("exit", () => execFileSync("rm", ["-rf", folder]));
  makeNpmPackage(join(folder, "npm"));
  makeWheel(join(folder, "pip"));
  makeCrate(join(folder, "cargo"));
  makeGoModule(join(folder, "go"));
  makeRepository(join(folder, "git"));
  return folder;
}

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const hash = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest("hex");

/** A tarball of these files, below one folder. */
function pack(archive: string, name: string, files: Readonly<Record<string, string>>): Buffer {
  const work = mkdtempSync(join(tmpdir(), "pith-package-"));
  for (const [path, text] of Object.entries(files)) write(join(work, name, path), text);
  mkdirSync(dirname(archive), { recursive: true });
  execFileSync("tar", ["-czf", archive, "-C", work, name]);
  execFileSync("rm", ["-rf", work]);
  return readFileSync(archive);
}

function zip(archive: string, files: Readonly<Record<string, string>>): Buffer {
  mkdirSync(dirname(archive), { recursive: true });
  const code =
    "import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z:\n    [z.writestr(n, t) for n, t in json.load(sys.stdin).items()]";
  execFileSync("python3", ["-c", code, archive], { input: JSON.stringify(files) });
  return readFileSync(archive);
}

function makeNpmPackage(folder: string): void {
  const manifest = { name: "tiny-package", version: "1.0.0", main: "index.js" };
  const files = { "package.json": JSON.stringify(manifest), "index.js": "module.exports = 'tiny from npm';\n" };
  const bytes = pack(join(folder, "tiny-package/-/tiny-package-1.0.0.tgz"), "package", files);
  const dist = { tarball: `${at("npm")}/tiny-package/-/tiny-package-1.0.0.tgz`, shasum: hash("sha1", bytes) };
  const packument = {
    name: "tiny-package",
    "dist-tags": { latest: "1.0.0" },
    versions: { "1.0.0": { ...manifest, dist } },
  };
  write(join(folder, "tiny-package/index"), JSON.stringify(packument));
}

function makeWheel(folder: string): void {
  const name = "tiny_wheel-1.0.0-py3-none-any.whl";
  const about = "tiny_wheel-1.0.0.dist-info";
  const bytes = zip(join(folder, "files", name), {
    "tiny_wheel.py": "WORDS = 'tiny from pip'\n",
    [`${about}/METADATA`]: "Metadata-Version: 2.1\nName: tiny-wheel\nVersion: 1.0.0\n",
    [`${about}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${about}/RECORD`]: `tiny_wheel.py,,\n${about}/METADATA,,\n${about}/WHEEL,,\n${about}/RECORD,,\n`,
  });
  write(
    join(folder, "simple/tiny-wheel/index"),
    `<a href="/files/${name}#sha256=${hash("sha256", bytes)}">${name}</a>`,
  );
}

function makeCrate(folder: string): void {
  const files = {
    "Cargo.toml": '[package]\nname = "tinycrate"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": 'pub fn words() -> &\'static str { "tiny from cargo" }\n',
  };
  const bytes = pack(join(folder, "dl/tinycrate/1.0.0/download"), "tinycrate-1.0.0", files);
  const line = {
    name: "tinycrate",
    vers: "1.0.0",
    deps: [],
    cksum: hash("sha256", bytes),
    features: {},
    yanked: false,
  };
  write(join(folder, "ti/ny/tinycrate"), `${JSON.stringify(line)}\n`);
  write(join(folder, "config.json"), JSON.stringify({ dl: `${at("cargo")}/dl` }));
}

function makeGoModule(folder: string): void {
  const module = "tiny.example.org/mod";
  const versions = join(folder, module, "@v");
  const mod = `module ${module}\n\ngo 1.19\n`;
  zip(join(versions, "v1.0.0.zip"), {
    [`${module}@v1.0.0/go.mod`]: mod,
    [`${module}@v1.0.0/mod.go`]: 'package mod\n\nfunc Words() string { return "tiny from go" }\n',
  });
  write(join(versions, "v1.0.0.mod"), mod);
  write(join(versions, "v1.0.0.info"), JSON.stringify({ Version: "v1.0.0", Time: "2024-01-01T00:00:00Z" }));
  write(join(versions, "list"), "v1.0.0\n");
}

/** Served as plain files, which git understands as well. */
function makeRepository(folder: string): void {
  const work = mkdtempSync(join(tmpdir(), "pith-repository-"));
  const author = ["-c", "user.name=Eve", "-c", "user.email=eve@example.com"];
  const git = (...words: readonly string[]): void => void execFileSync("git", words, { cwd: work, stdio: "ignore" });
  write(join(work, "words.txt"), "tiny from git\n");
  git("init", "-b", "main");
  git("add", ".");
  git(...author, "commit", "-m", "first");
  mkdirSync(folder, { recursive: true });
  git("clone", "--bare", ".", join(folder, "tiny.git"));
  git("--git-dir", join(folder, "tiny.git"), "update-server-info");
  execFileSync("rm", ["-rf", work]);
}
