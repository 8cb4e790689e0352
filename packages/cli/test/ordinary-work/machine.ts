/**
 * Two homes with the same files: in one the commands run outside the sandbox, in the other inside. Each is `/home` in a mount namespace of its
 * own, so that both have the same paths and nothing has to be replaced before they are compared.
 */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findBuiltProgram } from "../support/built-program.ts";
import type { Project } from "./project.ts";

const HOME = "/home/dev";
const NODE = `.nvm/versions/node/${process.version}`;
const PITH = ".local/share/pith";
const PNPM = ".local/share/pnpm-program/node_modules";

export type Side = "outside" | "inside";

export interface Machine {
  readonly project: Project;
  readonly environment: Readonly<Record<string, string>>;
  /** A port for a server, free outside. It replaces the word PORT in commands. */
  readonly port: number;
  /** The program as the user starts it. */
  readonly pith: readonly string[];
  /** The real path of the project on a side. */
  folderOn(side: Side): string;
  /** The words that run these words in the project on a side. */
  enter(side: Side, words: readonly string[], options?: EnterOptions): readonly string[];
  remove(): void;
}

export interface EnterOptions {
  /** Whether all processes end with the program. It is not the first of its namespace, so that signals reach it as usual. */
  readonly endsAll?: boolean;
  /** Where they run in the project; default: where the agent is started. */
  readonly folder?: string;
}

export async function createMachine(project: Project): Promise<Machine> {
  const base = mkdtempSync(join(tmpdir(), "pith-ordinary-"));
  const programs = findPrograms(project);
  const port = await findFreePort();
  const environment = createEnvironment(project, { programs, port });
  const machine: Machine = {
    project,
    environment,
    port,
    pith: [`${HOME}/${NODE}/bin/node`, `${HOME}/${PITH}/pith.mjs`],
    folderOn: (side) => join(base, side, "dev", project.folder),
    enter: (side, words, { endsAll = false, folder = project.startsIn ?? "" } = {}) => [
      ...["unshare", "--mount", "--propagation", "private"],
      ...(endsAll ? ["--pid", "--fork", "--kill-child", "--mount-proc"] : []),
      ...["--", "sh", "-ec", createMountScript(programs, endsAll), "sh"],
      ...[join(base, side), join(base, `${side}-tmp`), join(HOME, project.folder, folder), ...words],
    ],
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }),
  };
  for (const side of ["outside", "inside"] as const) fillHome(machine, base, side, programs);
  return machine;
}

/** Folders of the machine, by the place in the home where they are mounted. */
type Programs = Readonly<Record<string, string>>;

function findPrograms(project: Project): Programs {
  for (const tool of [...project.tools, "unshare", "bwrap", "git", "curl"]) requireTool(tool);
  const usesPnpm = project.tools.includes("pnpm");
  return {
    [NODE]: dirname(dirname(realpathSync(process.execPath))),
    [PITH]: dirname(findBuiltProgram()),
    ...(usesPnpm && { [PNPM]: dirname(dirname(which("pnpm"))) }),
  };
}

function requireTool(name: string): void {
  try {
    which(name);
  } catch {
    throw new Error(
      `the comparison needs a program that is not installed: ${name}; .ci/run installs what its own part needs`,
    );
  }
}

const which = (name: string): string => execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();

/** `$1` is the folder of the homes, `$2` the folder for `/tmp`, `$3` the working folder. */
function createMountScript(programs: Programs, staysFirst: boolean): string {
  return [
    ...Object.entries(programs).map(([place, folder]) => `mount --bind '${folder}' "$1/dev/${place}"`),
    'mount --rbind "$1" /home',
    'mount --bind "$2" /tmp',
    'cd "$3"',
    "shift 3",
    staysFirst ? '"$@" && exit 0 || exit $?' : 'exec "$@"',
  ].join("\n");
}

/** Variables that name the registry of this machine and how it is reached. */
const REGISTRY_VARIABLES = /^(?:npm_config_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|https?_proxy|no_proxy)$/i;

interface EnvironmentOptions {
  readonly programs: Programs;
  readonly port: number;
}

function createEnvironment(project: Project, { programs, port }: EnvironmentOptions): Record<string, string> {
  const folders = [`${HOME}/${NODE}/bin`, ...(PNPM in programs ? [`${HOME}/${PNPM}/.bin`] : [])];
  const registry = Object.entries(process.env).filter(
    ([name]) => project.needsRegistry && REGISTRY_VARIABLES.test(name),
  );
  return {
    ...Object.fromEntries(registry.map(([name, value]) => [name, value ?? ""])),
    PATH: [...folders, "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME,
    USER: "dev",
    LANG: "C.UTF-8",
    TERM: "dumb",
    PORT: `${port}`,
    GOPROXY: "off",
    // Commits of both sides have the same time, so they have the same names.
    GIT_AUTHOR_DATE: "2026-01-05T10:00:00Z",
    GIT_COMMITTER_DATE: "2026-01-05T10:00:00Z",
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return address.port;
}

/** No registry for pip: nothing listens at the discard port. */
const HOME_FILES: Readonly<Record<string, string>> = {
  ".gitconfig": "[user]\n\tname = Ada Example\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n",
  ".bashrc": "# The user's own.\n",
  ".config/pip/pip.conf":
    "[global]\nindex-url = http://127.0.0.1:9/simple\nretries = 0\ndisable-pip-version-check = true\n",
};

function fillHome(machine: Machine, base: string, side: Side, programs: Programs): void {
  const { project } = machine;
  const home = join(base, side, "dev");
  for (const place of Object.keys(programs)) mkdirSync(join(home, place), { recursive: true });
  for (const [name, text] of Object.entries(HOME_FILES)) write(join(home, name), text);
  const npmrc = join(homedir(), ".npmrc");
  if (project.needsRegistry && existsSync(npmrc)) write(join(home, ".npmrc"), readFileSync(npmrc, "utf8"));
  if (project.needsRegistry)
    write(join(home, ".pith/settings.json"), JSON.stringify({ fetchHosts: [findRegistryHost()] }));
  for (const [name, text] of Object.entries(project.files)) write(join(home, project.folder, name), text);
  mkdirSync(join(base, `${side}-tmp`));
  chmodSync(join(base, `${side}-tmp`), 0o1777);
  if (project.before === undefined) return;
  const [program = "", ...words] = machine.enter(side, ["bash", "-ec", project.before], { folder: "" });
  execFileSync(program, words, { env: machine.environment, stdio: "pipe" });
}

/** A registry may be on a private address, which users name in their settings. */
function findRegistryHost(): string {
  const output = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { protocol, hostname, port } = new URL(output.trim());
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
}
