/** Finds the certificates of a company's certificate authorities, which the user's variables and configuration name. Never a private key. */

import { readFileSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, normalize } from "node:path";
import { isWithin } from "../../text.ts";
import type { Mount } from "./mounts.ts";
import { resolveExistingPath } from "./options.ts";
import { secretPathsIn } from "./secret-paths.ts";

/** Variables that name a file or a folder with certificates, for programs of a language, package managers, git and cloud tools. */
const CERTIFICATE_VARIABLE =
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:REQUESTS|CURL|AWS)_CA_BUNDLE|GIT_SSL_CA(?:INFO|PATH)|CARGO_HTTP_CAINFO|PIP_CERT|npm_config_cafile|YARN_HTTPS_CA_FILE_PATH|DENO_CERT|NIX_SSL_CERT_FILE|BUNDLE_SSL_CA_CERT|COMPOSER_CAFILE|HEX_CACERTS_PATH|HTTPLIB2_CA_CERTS|GRPC_DEFAULT_SSL_ROOTS_FILE_PATH|CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE)$/i;

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name certificates, except those in the given folders: what lies there may be anybody's. */
export function selectCertificateVariables(
  environment: Environment,
  excluded: readonly string[],
): Readonly<Record<string, string>> {
  const isUsable = (path: string): boolean => {
    const real = resolveExistingPath(path);
    return real !== null && ![path, real].some((each) => excluded.some((folder) => isWithin(folder, each)));
  };
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    value && CERTIFICATE_VARIABLE.test(name) && value.split(delimiter).every(isUsable) ? [[name, value]] : [],
  );
  return Object.fromEntries(variables);
}

export interface CertificateOptions {
  /** A real path. */
  readonly home: string;
  /** Real paths of folders that commands do not see, including the home. */
  readonly hidden: readonly string[];
  readonly environment: Environment;
  /** The workspace and other projects: no link in them decides what becomes visible. */
  readonly workspaces: readonly string[];
}

/** Read-only mounts of the named files and folders that would be hidden, at the paths by which they are named and at their real paths. */
export function findCertificates(options: CertificateOptions): readonly Mount[] {
  const { home, hidden, environment, workspaces } = options;
  const isHidden = (path: string): boolean =>
    hidden.some((each) => isWithin(each, path)) && !hidden.some((each) => isWithin(path, each));
  const fromVariables = Object.values(selectCertificateVariables(environment, workspaces)).flatMap((value) =>
    value.split(delimiter),
  );
  const named = [...fromVariables, ...readConfiguredPaths(options)].map((path) => normalize(path));
  return [...new Set(named)].flatMap((path) => {
    const real = resolveExistingPath(path);
    if (real === null || ![path, real].some(isHidden) || !holdsCertificates(real, home)) return [];
    if ([path, real].some((each) => workspaces.some((folder) => isWithin(folder, each)))) return [];
    return [...new Set([path, real])]
      .filter(isHidden)
      .map((at): Mount => ({ path: at, access: "readable", source: real }));
  });
}

/** Configuration of npm, yarn, pip, cargo and git, relative to the home. */
const CONFIGURATIONS: readonly string[] = [
  ...[".npmrc", ".config/pnpm/rc", ".yarnrc", ".yarnrc.yml"],
  ...[
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".cargo/config.toml",
    ".cargo/config",
    ".gitconfig",
    ".config/git/config",
  ],
];

const CERTIFICATE_LINE =
  /^[ \t]*"?(?:cafile|httpsCaFilePath|caFilePath|cert|cainfo|sslcainfo)"?[ \t]*[=: ][ \t]*["']?([^"'\n]+?)["']?[ \t]*$/gim;

function readConfiguredPaths({ home }: CertificateOptions): readonly string[] {
  const texts = CONFIGURATIONS.map((name) => readSmallFile(join(home, name)) ?? "");
  const values = texts.flatMap((text) => [...text.matchAll(CERTIFICATE_LINE)].flatMap(([, value = ""]) => value));
  return values.map((value) => value.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home)).filter(isAbsolute);
}

/** Known locations of secrets are opened only for a file of nothing but certificates. */
function holdsCertificates(real: string, home: string): boolean {
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory())
    return !secretPathsIn(home).some((secret) => isWithin(secret, real) || isWithin(real, secret));
  const text = readSmallFile(real) ?? "";
  return text.includes("-----BEGIN ") && /CERTIFICATE-----/.test(text) && !/PRIVATE KEY-----/.test(text);
}

const MAX_BYTES = 8 * 1024 * 1024;

function readSmallFile(path: string): string | null {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, "latin1") : null;
  } catch {
    return null;
  }
}
