/** Reads which hosts the user's own configuration of npm, yarn, pnpm, pip, uv, cargo and go names. Nothing of a workspace is read or run. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { findSafeProgram, resolveRealPath, safeEnvironment } from "@pith/agent/node";
import type { Environment } from "@pith/models";
import { isInside } from "../trust/project-folders.ts";

export interface PackagePlace {
  readonly environment: Environment;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders in which commands may write: nothing in them is read or run. */
  readonly writable: readonly string[];
}

/** Read when it is first asked, and once. */
export function packageHosts(place: PackagePlace): (host: string) => Promise<boolean> {
  let found: Promise<ReadonlySet<string>> | null = null;
  return async (host) => {
    found ??= readPackageHosts(place);
    return (await found).has(host.toLowerCase());
  };
}

export async function readPackageHosts({ writable, ...rest }: PackagePlace): Promise<ReadonlySet<string>> {
  const real = await Promise.all(writable.map(async (folder) => (await resolveRealPath(folder)) ?? folder));
  const place = { ...rest, writable: [...writable, ...real] };
  const texts = await Promise.all([
    npmAddresses(place),
    pythonAddresses(place),
    cargoAddresses(place),
    goAddresses(place),
  ]);
  return new Set(texts.flat().flatMap(hostsIn));
}

/** Each address in a text; what stands before and behind them is no matter. */
function hostsIn(text: string): readonly string[] {
  const addresses = text.match(/https?:\/\/[^\s"'|,;<>]+/g) ?? [];
  return addresses.flatMap((address) => URL.parse(address)?.hostname ?? []);
}

async function npmAddresses(place: PackagePlace): Promise<readonly string[]> {
  const { environment, home } = place;
  const config = configFolder(place);
  const user = environment.NPM_CONFIG_USERCONFIG ?? environment.npm_config_userconfig ?? join(home, ".npmrc");
  const said = variables(environment, /^npm_config_registry$/i);
  const rc = await lines(user, REGISTRY, place);
  const others = await Promise.all([
    lines(join(config, "pnpm/rc"), REGISTRY, place),
    lines(join(home, "Library/Preferences/pnpm/rc"), REGISTRY, place),
    lines(join(home, ".yarnrc.yml"), /^\s*npmRegistryServer\s*:/, place),
    lines(join(home, ".yarnrc"), /^\s*"?registry"?\s/, place),
  ]);
  const scopes = variables(environment, /^npm_config_@[^:]+:registry$|^YARN_NPM_REGISTRY_SERVER$/i);
  const isSaid = said.length > 0 || rc.some((line) => !line.trimStart().startsWith("@"));
  const asked = isSaid ? [] : await output("npm", ["config", "get", "registry"], place);
  return [...said, ...rc, ...others.flat(), ...scopes, ...asked];
}

/** Of a scope or of all. */
const REGISTRY = /^\s*(?:@[^:=\s]+:)?registry\s*=/;

async function pythonAddresses(place: PackagePlace): Promise<readonly string[]> {
  const { environment, home } = place;
  const config = configFolder(place);
  const files = [
    "/etc/pip.conf",
    join(home, ".pip/pip.conf"),
    join(config, "pip/pip.conf"),
    environment.PIP_CONFIG_FILE,
  ];
  const pip = await Promise.all(files.map((file) => textOf(file, place)));
  const uv = await lines(join(config, "uv/uv.toml"), /^\s*(?:url|index-url|extra-index-url|default-index)\s*=/, place);
  const said = variables(environment, /^(?:PIP_(?:EXTRA_)?INDEX_URL|UV_(?:(?:EXTRA_)?INDEX_URL|DEFAULT_INDEX|INDEX))$/);
  return [...said, ...pip.flatMap((text) => text.match(PIP_INDEX) ?? []), ...uv];
}

/** A value of pip's may go on in lines that begin with a blank. */
const PIP_INDEX = /^(?:extra-)?index-url[ \t]*[=:].*(?:\n[ \t]+\S.*)*/gm;

async function cargoAddresses(place: PackagePlace): Promise<readonly string[]> {
  const { environment, home } = place;
  const folder = environment.CARGO_HOME ?? join(home, ".cargo");
  const files = ["config.toml", "config"].map((name) => lines(join(folder, name), /^\s*(?:index|registry)\s*=/, place));
  return [...variables(environment, /^CARGO_REGISTRIES_\w+_INDEX$/), ...(await Promise.all(files)).flat()];
}

async function goAddresses(place: PackagePlace): Promise<readonly string[]> {
  const { environment } = place;
  const said = variables(environment, /^(?:GOPROXY|GOSUMDB)$/);
  const kept = await lines(environment.GOENV ?? join(configFolder(place), "go/env"), /^\s*(?:GOPROXY|GOSUMDB)=/, place);
  const values = [...said, ...kept.map((line) => line.slice(line.indexOf("=") + 1))];
  const known = values.length > 0 ? values : await output("go", ["env", "GOPROXY", "GOSUMDB"], place);
  return known.map(checksumAddress);
}

/** A checksum database is named by its host alone, perhaps with its key behind it. */
function checksumAddress(value: string): string {
  const host = /^([\w-]+(?:\.[\w-]+)+)(?:[+\s]|$)/.exec(value)?.[1];
  return host === undefined ? value : `https://${host}/ ${value}`;
}

function configFolder({ environment, home }: PackagePlace): string {
  return environment.XDG_CONFIG_HOME ?? join(home, ".config");
}

function variables(environment: Environment, names: RegExp): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && names.test(name) ? [value] : []));
}

async function lines(file: string, wanted: RegExp, place: PackagePlace): Promise<readonly string[]> {
  return (await textOf(file, place)).split("\n").filter((line) => wanted.test(line));
}

/** What is not there, or may not be read, names nothing; nor does a file that a command may have written. */
async function textOf(file: string | undefined, { writable }: PackagePlace): Promise<string> {
  const real = file !== undefined && isAbsolute(file) ? await resolveRealPath(file) : null;
  if (real === null || writable.some((folder) => real === folder || isInside(folder, real))) return "";
  return await readFile(real, "utf8").catch(() => "");
}

/** The lines that a program of the user's says in the home; none where it is not there or fails. */
function output(name: string, args: readonly string[], place: PackagePlace): Promise<readonly string[]> {
  const { environment, home, writable } = place;
  const program = findSafeProgram({ name, searchPath: environment.PATH ?? "", writable });
  if (program === null) return Promise.resolve([]);
  // A script finds its interpreter by it.
  const PATH = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const env = { ...safeEnvironment(environment, writable), PATH };
  const options = { cwd: home, env, timeout: LONGEST_MS };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, text) =>
      resolve(error ? [] : text.split("\n").map((line) => line.trim())),
    );
  });
}

const LONGEST_MS = 10_000;
