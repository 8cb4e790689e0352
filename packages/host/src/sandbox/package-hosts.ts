/** Finds the package hosts in the user's configuration of npm, yarn, pnpm, pip, uv, cargo and go. Never reads or runs files of a workspace. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { findSafeProgram, resolveRealPath, safeEnvironment } from "@pith/agent/node";
import type { Environment } from "@pith/models";
import { isInside } from "../trust/project-files.ts";

export interface PackageHostOptions {
  readonly environment: Environment;
  /** The user's home folder. */
  readonly home: string;
  /** Folders in which commands may write. Nothing in them is read or run. */
  readonly writable: readonly string[];
}

/** Whether the user's configuration names the host, with this port if one is given. */
export type PackageHostCheck = (host: string, port?: number) => Promise<boolean>;

/** Reads the configuration once, on the first call of the check. */
export function createPackageHostCheck(options: PackageHostOptions): PackageHostCheck {
  let registries: Promise<readonly Registry[]> | null = null;
  return async (host, port) => {
    registries ??= readRegistries(options);
    const named = (await registries).filter((registry) => registry.host === host.toLowerCase());
    return named.some((registry) => port === undefined || registry.port === port);
  };
}

export async function readPackageHosts(options: PackageHostOptions): Promise<ReadonlySet<string>> {
  return new Set((await readRegistries(options)).map(({ host }) => host));
}

/** Where packages are fetched from. */
interface Registry {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

async function readRegistries({ writable, ...rest }: PackageHostOptions): Promise<readonly Registry[]> {
  const realPaths = await Promise.all(writable.map(async (folder) => (await resolveRealPath(folder)) ?? folder));
  const options = { ...rest, writable: [...writable, ...realPaths] };
  const addresses = await Promise.all([
    readNpmRegistries(options),
    readPythonIndexes(options),
    readCargoRegistries(options),
    readGoProxies(options),
  ]);
  return addresses.flat().flatMap(extractRegistries);
}

/** Finds the host of each URL in the text and ignores the rest. */
function extractRegistries(text: string): readonly Registry[] {
  const addresses = text.match(/https?:\/\/[^\s"'|,;<>]+/g) ?? [];
  const urls = addresses.flatMap((address) => URL.parse(address) ?? []);
  return urls.map(({ hostname, port, protocol }) => ({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || (protocol === "https:" ? 443 : 80)),
  }));
}

async function readNpmRegistries(options: PackageHostOptions): Promise<readonly string[]> {
  const { environment, home } = options;
  const config = configFolder(options);
  const userFile = environment.NPM_CONFIG_USERCONFIG ?? environment.npm_config_userconfig ?? join(home, ".npmrc");
  const fromEnvironment = matchVariables(environment, /^npm_config_registry$/i);
  const userLines = await readMatchingLines(userFile, REGISTRY_LINE, options);
  const otherLines = await Promise.all([
    readMatchingLines(join(config, "pnpm/rc"), REGISTRY_LINE, options),
    readMatchingLines(join(home, "Library/Preferences/pnpm/rc"), REGISTRY_LINE, options),
    readMatchingLines(join(home, ".yarnrc.yml"), /^\s*npmRegistryServer\s*:/, options),
    readMatchingLines(join(home, ".yarnrc"), /^\s*"?registry"?\s/, options),
  ]);
  const scopedRegistries = matchVariables(environment, /^npm_config_@[^:]+:registry$|^YARN_NPM_REGISTRY_SERVER$/i);
  const hasRegistry = fromEnvironment.length > 0 || userLines.some((line) => !line.trimStart().startsWith("@"));
  const fromNpm = hasRegistry ? [] : await runProgram("npm", ["config", "get", "registry"], options);
  return [...fromEnvironment, ...userLines, ...otherLines.flat(), ...scopedRegistries, ...fromNpm];
}

/** A registry for one scope or for all packages. */
const REGISTRY_LINE = /^\s*(?:@[^:=\s]+:)?registry\s*=/;

async function readPythonIndexes(options: PackageHostOptions): Promise<readonly string[]> {
  const { environment, home } = options;
  const config = configFolder(options);
  const files = [
    "/etc/pip.conf",
    join(home, ".pip/pip.conf"),
    join(config, "pip/pip.conf"),
    environment.PIP_CONFIG_FILE,
  ];
  const pipTexts = await Promise.all(files.map((file) => readUserFile(file, options)));
  const uvLines = await readMatchingLines(
    join(config, "uv/uv.toml"),
    /^\s*(?:url|index-url|extra-index-url|default-index)\s*=/,
    options,
  );
  const fromEnvironment = matchVariables(
    environment,
    /^(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:(?:EXTRA_)?INDEX_URL|DEFAULT_INDEX|INDEX))$/,
  );
  return [...fromEnvironment, ...pipTexts.flatMap((text) => text.match(PIP_INDEX_LINES) ?? []), ...uvLines];
}

/** A value in pip's format may continue on indented lines. */
const PIP_INDEX_LINES = /^(?:extra-)?index-url[ \t]*[=:].*(?:\n[ \t]+\S.*)*/gm;

async function readCargoRegistries(options: PackageHostOptions): Promise<readonly string[]> {
  const { environment, home } = options;
  const folder = environment.CARGO_HOME ?? join(home, ".cargo");
  const fileLines = ["config.toml", "config"].map((name) =>
    readMatchingLines(join(folder, name), /^\s*(?:index|registry)\s*=/, options),
  );
  return [...matchVariables(environment, /^CARGO_REGISTRIES_\w+_INDEX$/), ...(await Promise.all(fileLines)).flat()];
}

async function readGoProxies(options: PackageHostOptions): Promise<readonly string[]> {
  const { environment } = options;
  const fromEnvironment = matchVariables(environment, /^(?:GOPROXY|GOSUMDB)$/);
  const fileLines = await readMatchingLines(
    environment.GOENV ?? join(configFolder(options), "go/env"),
    /^\s*(?:GOPROXY|GOSUMDB)=/,
    options,
  );
  const values = [...fromEnvironment, ...fileLines.map((line) => line.slice(line.indexOf("=") + 1))];
  const addresses = values.length > 0 ? values : await runProgram("go", ["env", "GOPROXY", "GOSUMDB"], options);
  return addresses.map(toChecksumUrl);
}

/** Converts the name of a checksum database, which is a host with an optional key, to a URL. Other values stay. */
function toChecksumUrl(value: string): string {
  const host = /^([\w-]+(?:\.[\w-]+)+)(?:[+\s]|$)/.exec(value)?.[1];
  return host === undefined ? value : `https://${host}/ ${value}`;
}

function configFolder({ environment, home }: PackageHostOptions): string {
  return environment.XDG_CONFIG_HOME ?? join(home, ".config");
}

function matchVariables(environment: Environment, pattern: RegExp): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && pattern.test(name) ? [value] : []));
}

async function readMatchingLines(
  file: string,
  pattern: RegExp,
  options: PackageHostOptions,
): Promise<readonly string[]> {
  return (await readUserFile(file, options)).split("\n").filter((line) => pattern.test(line));
}

/** Empty if the file is missing or not readable, or if a command may have written it. */
async function readUserFile(file: string | undefined, { writable }: PackageHostOptions): Promise<string> {
  const realPath = file !== undefined && isAbsolute(file) ? await resolveRealPath(file) : null;
  if (realPath === null || writable.some((folder) => realPath === folder || isInside(folder, realPath))) return "";
  return await readFile(realPath, "utf8").catch(() => "");
}

/** Runs the user's program in the home folder and returns its output lines. Empty if it is missing or fails. */
function runProgram(
  name: string,
  args: readonly string[],
  packageOptions: PackageHostOptions,
): Promise<readonly string[]> {
  const { environment, home, writable } = packageOptions;
  const program = findSafeProgram({ name, searchPath: environment.PATH ?? "", writable });
  if (program === null) return Promise.resolve([]);
  // A script needs `PATH` to find its interpreter.
  const PATH = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const env = { ...safeEnvironment(environment, writable), PATH };
  const options = { cwd: home, env, timeout: PROGRAM_TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) =>
      resolve(error ? [] : stdout.split("\n").map((line) => line.trim())),
    );
  });
}

const PROGRAM_TIMEOUT_MS = 10_000;
