/**
 * Runs the named steps of an installation trial and counts those that fail. Packs and checks the tarballs, fetches the Node versions to try,
 * and starts commands with the environment of a new user.
 */

import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { findNpmCli } from "../pack-packages.ts";
import { isProgram, listPublishedPackages, type Package, root } from "../packages.ts";
import { checkPackage, readTarball } from "../release/check-tarballs.ts";

export class InstallTrial {
  failedSteps = 0;
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs a step and prints its name with what it returns. An error counts as a failure, and the trial continues. */
  async runStep(name: string, run: () => Promise<string | undefined> | string | undefined): Promise<void> {
    const startTime = performance.now();
    try {
      const detail = await run();
      this.#print(`ok      ${name} (${formatSeconds(startTime)})${detail ? `: ${detail}` : ""}`);
    } catch (error) {
      this.failedSteps += 1;
      this.#print(`FAILED  ${name} (${formatSeconds(startTime)}): ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Prints that a step was skipped, and why. */
  skip(name: string, reason: string): void {
    this.#print(`skipped ${name}: ${reason}`);
  }
}

function formatSeconds(startTime: number): string {
  return `${((performance.now() - startTime) / 1000).toFixed(1)} s`;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Returns the standard output of a command. Rejects with all its output if it fails or if Node prints a warning. */
export function runCommand(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 300_000 }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { cwd, env, timeout: timeoutMs, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (error || /\w+Warning: /.test(stderr))
          reject(new Error(`${error?.message ?? "Node printed a warning"}\n${stdout}\n${stderr}`.trim()));
        else resolve(stdout);
      },
    );
    child.stdin?.end();
  });
}

export function requireText(text: string, expected: RegExp): void {
  if (!expected.test(text)) throw new Error(`expected ${expected}, got: ${text.slice(0, 2_000)}`);
}

/** The environment of a new user, with what this machine needs to reach the network: certificates and proxies. */
export function createEnvironment(home: string, path: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name));
  return { ...Object.fromEntries(inherited.map(([name, value = ""]) => [name, value])), HOME: home, PATH: path };
}

const INHERITED_VARIABLES =
  /^(?:lang|lc_\w+|tmpdir|temp|tmp|systemroot|comspec|pathext|appdata|localappdata|userprofile|ssl_\w+|node_extra_ca_certs|npm_config_(?:registry|cafile)|https?_proxy|no_proxy)$/i;

export interface PackedPackage extends Package {
  readonly file: string;
}

export function packPackages(folder: string): readonly PackedPackage[] {
  const pack = join(root, "scripts/pack-packages.ts");
  const stdout = execFileSync(process.execPath, [pack, folder], { encoding: "utf8", stdio: ["ignore", "pipe", 2] });
  const files = stdout.trim().split("\n");
  return listPublishedPackages().map((each, index) => ({ ...each, file: files[index] ?? "" }));
}

export async function checkTarball(tarball: PackedPackage, trial: InstallTrial): Promise<void> {
  const { name } = tarball.manifest;
  await trial.runStep(`${name}: manifest`, () => checkManifest(tarball));
  await trial.runStep(`${name}: publint`, async () => {
    const { messages, pkg } = await publint({ pack: { tarball: readBytes(tarball.file) }, strict: true });
    if (messages.length > 0) throw new Error(messages.map((message) => formatMessage(message, pkg)).join("\n"));
    return undefined;
  });
  if (isProgram(tarball)) return;
  await trial.runStep(`${name}: are the types wrong`, () => {
    const cli = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    // ESM only: `require` of an ES module works in every supported Node, and old resolvers are not supported.
    const args = [cli, tarball.file, "--profile", "esm-only", "--format", "ascii", "--no-color", "--no-emoji"];
    execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return undefined;
  });
}

function readBytes(file: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = readFileSync(file);
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}

function checkManifest({ file, manifest }: PackedPackage): string {
  const contents = readTarball(file);
  const names = listPublishedPackages().map((each) => each.manifest.name);
  const faults = checkPackage(contents, { version: manifest.version, names });
  if (faults.length > 0) throw new Error(faults.join("; "));
  return `${contents.files.length} files`;
}

/** The oldest supported version, and the newest of each later release line at the time of writing. */
export const SUPPORTED_NODES: readonly string[] = ["22.19.0", "24.21.0", "26.10.0"];

export interface NodeVersion {
  readonly version: string;
  /** The executable. */
  readonly file: string;
}

/** Returns a Node version. It is fetched once from its npm package into `.tools/`. */
export function findNode(version: string): NodeVersion {
  if (version === "current") return { version: process.versions.node, file: process.execPath };
  const folder = join(root, ".tools", `node-${version}`);
  const name = `node-${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
  const file = join(folder, "node_modules", name, "bin/node");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{"private":true}');
    const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    execFileSync(process.execPath, [findNpmCli(), "install", "--prefix", folder, ...flags, `${name}@${version}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  return { version, file };
}

const PLATFORMS: Readonly<Record<string, string>> = { win32: "win" };

/** Returns a PATH with these folders and this Node first. */
export function buildPath({ file }: NodeVersion, ...folders: readonly string[]): string {
  return [...folders, dirname(file), process.env.PATH ?? ""].join(delimiter);
}
