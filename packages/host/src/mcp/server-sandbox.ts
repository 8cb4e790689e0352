/** Runs the program of an MCP server in its own sandbox: a private home and temporary folder, and a network that asks about each host. */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { NetworkConnection } from "@pith/agent";
import {
  detectBubblewrap,
  findRootProblem,
  type HostDecision,
  openPrivateFolders,
  type PermitHost,
  type PrivateFolders,
  type SandboxDetection,
  SandboxLauncher,
  SandboxNetwork,
} from "@pith/agent/node";
import type { HostContext } from "../host-context.ts";
import { getHostRefusal, requireRootOwnedSandbox } from "../policy/permitted-parts.ts";
import { type Policy, requiresSandbox } from "../policy/policy.ts";
import type { PackageHostCheck } from "../sandbox/package-hosts.ts";
import { buildLimits, caughtFolderPath, type LimitSetting } from "../sandbox/sandbox.ts";
import type { NamedServer, Settings, StdioServer } from "../settings/settings.ts";
import { expandTilde } from "../text/shell-words.ts";
import type { LaunchPlan, NamedProgram } from "./plan-launch.ts";
import { findPackageFolder, isLauncher } from "./program-files.ts";
import type { ProgramSpawnOptions } from "./transport.ts";
import { type Confirm, sanitizeLine } from "./trust-question.ts";

type AvailableSandbox = Extract<SandboxDetection, { type: "available" }>;

export interface SandboxContext extends Pick<HostContext, "home" | "userHome" | "environment"> {
  /** The workspace folder. No program from it is used to create a sandbox. */
  readonly workspace: string;
  readonly settings: Pick<Settings, "sandbox" | "fetchHosts" | "unixSockets" | "policy" | LimitSetting>;
}

/** Whether a sandbox is available for the program of a server. */
export type SandboxState = AvailableSandbox | { readonly type: "unavailable"; readonly why: string };

/** Detects the sandbox only once, because the test run takes some milliseconds. */
export function createSandboxFinder({ workspace, environment, settings }: SandboxContext): FindSandbox {
  let detection: Promise<SandboxDetection> | null = null;
  return async ({ server }) => {
    const sandboxSetting =
      "sandbox" in server && server.sandbox !== undefined ? server.sandbox : (settings.sandbox ?? "on");
    if (sandboxSetting === "off" && !requiresSandbox(settings.policy))
      return { type: "unavailable", why: "turned off in your settings" };
    detection ??= detectBubblewrap({ root: workspace, environment });
    return requireRootOwnedSandbox(settings.policy, await detection);
  };
}

export type FindSandbox = (namedServer: NamedServer) => Promise<SandboxState>;

export interface ServerSandboxOptions extends SandboxContext {
  readonly detection: AvailableSandbox;
  readonly namedServer: NamedProgram;
  /** The working directory of the server. */
  readonly cwd: string;
  readonly hosts: ServerHosts;
}

/** The sandbox of one server in one session. */
export class ServerSandbox {
  readonly #options: ServerSandboxOptions;
  readonly #folders: PrivateFolders;
  #network: SandboxNetwork | null = null;

  private constructor(options: ServerSandboxOptions, folders: PrivateFolders) {
    this.#options = options;
    this.#folders = folders;
  }

  static async open(options: ServerSandboxOptions): Promise<ServerSandbox> {
    const { home, userHome, cwd, environment } = options;
    const folderOptions = { folder: join(home, "sandbox"), root: cwd, home: userHome, environment };
    const folders = await openPrivateFolders(folderOptions);
    await folders.fillHome();
    return new ServerSandbox(options, folders);
  }

  /** The home folder that the program sees. */
  get privateHome(): string {
    return this.#folders.home;
  }

  /** Returns the command that starts the program in the sandbox. Throws if the sandbox cannot be created; the program must not start then. */
  async prepareLaunch(plan: LaunchPlan): Promise<ProgramSpawnOptions> {
    const { detection, home, userHome, workspace, namedServer, cwd, hosts, settings } = this.#options;
    this.#network ??= await this.#openNetwork();
    const launcher = new SandboxLauncher({
      program: detection.program,
      root: cwd,
      home: userHome,
      privateHome: this.#folders.home,
      temporary: this.#folders.temporary,
      journal: this.#folders.journal,
      caught: { folder: caughtFolderPath(home), record: this.#folders.absentNames },
      environment: plan.environment,
      network: this.#network,
      unixSockets: settings.unixSockets === "on",
      limits: buildLimits(settings),
      mayWrite: () => true,
      hidden: [home],
      otherProjects: [workspace],
      readable: findReadableFolders(plan, userHome),
      writable: (namedServer.server.folders ?? []).map((folder) => expandTilde(folder, userHome)),
    });
    const argv = [plan.program, ...plan.arguments];
    const commandText = `MCP server ${namedServer.name}`;
    const result = launcher.prepare({ argv, commandText, onConnection: hosts.recordConnection });
    if (result.type === "failed") throw new Error(`its sandbox could not be created: ${result.why}`);
    const { program, arguments: args, root, environment, filter, watch, release } = result.launch;
    return { program, arguments: args, cwd: root, environment, filter, watch, release };
  }

  async #openNetwork(): Promise<SandboxNetwork | null> {
    const { detection, environment, settings, namedServer, hosts } = this.#options;
    if (detection.program.nsenter === null) return null;
    const privateHosts = settings.fetchHosts ?? [];
    const network = await SandboxNetwork.open({
      program: detection.program,
      environment,
      permitHost: hosts.permitHost,
      privateHosts,
      isRegistry: hosts.isRegistry,
    });
    const ports = (namedServer.server.hosts ?? []).flatMap(parseLocalPort);
    for (const port of ports.filter((candidate) => getHostRefusal(settings.policy, "localhost", candidate) === null))
      await network.reachHostPort(port);
    return network;
  }

  async close(): Promise<void> {
    await this.#network?.close();
    await this.#folders.close();
  }
}

/**
 * Why a configured folder cannot be shared with the server: it does not exist, it contains the home or the configuration of other
 * programs, or it is in a folder with secrets.
 */
export function findFolderProblem({ cwd, folders = [] }: StdioServer, userHome: string): string | null {
  const configuredFolders = [
    ...(cwd === undefined ? [] : [["cwd", cwd]]),
    ...folders.map((folder) => ["folders", folder]),
  ];
  for (const [setting, configuredPath = ""] of configuredFolders) {
    const path = expandTilde(configuredPath, userHome);
    const why =
      existsSync(path) && isAbsolute(path)
        ? findRootProblem(realpathSync(path), userHome)
        : "it does not exist or is not an absolute path";
    if (why !== null) return `its ${setting} ${configuredPath} cannot be used: ${why.replace("the workspace", "it")}`;
  }
  return null;
}

/** Parses a port of this machine, such as `localhost:5432`. Empty for any other host. */
function parseLocalPort(host: string): readonly number[] {
  const [, portText] = /^(?:localhost|127\.0\.0\.1):(\d{1,5})$/.exec(host) ?? [];
  return portText === undefined ? [] : [Number(portText)];
}

/** Finds the folders that the program must read: its installation, and the packages of its scripts. */
function findReadableFolders({ files }: LaunchPlan, userHome: string): readonly string[] {
  const [program = "", ...scripts] = Object.keys(files.program);
  const packageFolders = [program, ...scripts].map((file) => findPackageFolder(file, userHome));
  return [...new Set([findInstallation(program, userHome), ...packageFolders])];
}

/** The installation of `X/bin/program` is `X` if `X` looks like an installation, such as a Python virtual environment. */
function findInstallation(program: string, userHome: string): string {
  const folder = dirname(program);
  const parentFolder = dirname(folder);
  const isShared = parentFolder === userHome || parentFolder === join(userHome, ".local");
  const isInstallation = ["lib", "lib64", "pyvenv.cfg"].some((name) => existsSync(join(parentFolder, name)));
  return basename(folder) === "bin" && isInstallation && !isShared ? parentFolder : folder;
}

export interface ServerHostsOptions {
  readonly namedServer: NamedProgram;
  /** Whether the user's own configuration names the host as a package registry. */
  readonly isPackageHost: PackageHostCheck;
  /** Returns null if no user can be asked. */
  readonly confirm: () => Confirm | null;
  readonly policy?: Policy | undefined;
}

/** Decides which hosts a server may reach. An answer of the user applies to the whole session. Recent connections are recorded for `/mcp`. */
export class ServerHosts {
  readonly #options: ServerHostsOptions;
  readonly #answers = new Map<string, HostDecision>();
  readonly #recentConnections = new Map<string, string>();
  readonly #refusals = new Set<string>();

  constructor(options: ServerHostsOptions) {
    this.#options = options;
  }

  /** A launcher may reach a registry of the user in a private network. */
  readonly isRegistry: PackageHostCheck = async (host, port) => {
    const { namedServer, isPackageHost } = this.#options;
    return isLauncher(namedServer.server.command) && (await isPackageHost(host, port));
  };

  readonly permitHost: PermitHost = async (request, options) => {
    const decision = await this.#decide(request, options);
    this.recordConnection({ ...request, outcome: decision.type });
    if (decision.type === "refused") this.#refusals.add(decision.why);
    return decision;
  };

  async #decide(...[{ host, port }, { signal }]: Parameters<PermitHost>): Promise<HostDecision> {
    const { namedServer, isPackageHost, policy } = this.#options;
    const refusal = getHostRefusal(policy, host);
    if (refusal !== null) return { type: "refused", why: refusal };
    const { command, hosts = [] } = namedServer.server;
    if (hosts.some((pattern) => matchesHost(pattern, { host, port }))) return { type: "allowed" };
    if (isLauncher(command) && (await isPackageHost(host))) return { type: "allowed" };
    const previousAnswer = this.#answers.get(host);
    if (previousAnswer) return previousAnswer;
    const answer = await this.#askUser(host, port, signal);
    // A cancelled question has no answer.
    if (!signal.aborted) this.#answers.set(host, answer);
    return answer;
  }

  /** Also called when a connection ends or is refused for another reason, such as a private address. */
  readonly recordConnection = ({ host, port, outcome }: Pick<NetworkConnection, "host" | "port" | "outcome">): void => {
    const address = `${host}:${port}`;
    // Moves the address to the end, so that the first key is the oldest.
    this.#recentConnections.delete(address);
    this.#recentConnections.set(address, outcome === "allowed" ? address : `${address} (refused)`);
    const [oldest] = this.#recentConnections.keys();
    if (this.#recentConnections.size > MAX_RECENT_HOSTS && oldest !== undefined) this.#recentConnections.delete(oldest);
  };

  /** Most recent first. */
  get recentHosts(): readonly string[] {
    return [...this.#recentConnections.values()].toReversed().map((connection) => sanitizeLine(connection, 120));
  }

  /** Returns and clears the reasons of refused hosts. Most programs do not report them. */
  takeRefusals(): readonly string[] {
    const refusals = [...this.#refusals].slice(0, MAX_RECENT_HOSTS);
    this.#refusals.clear();
    return refusals;
  }

  async #askUser(host: string, port: number, signal: AbortSignal): Promise<HostDecision> {
    const { name } = this.#options.namedServer;
    const hint = `add it to mcpServers.${name}.hosts in your settings`;
    const confirm = this.#options.confirm();
    if (confirm === null)
      return {
        type: "refused",
        why: `the MCP server ${name} may not connect to ${host}, because no user is available to approve it; to allow it, ${hint}`,
      };
    const title = `Allow the MCP server ${name} to connect to ${sanitizeLine(host, 260)}:${port}?`;
    const isAllowed = await confirm(title, `To always allow it, ${hint}.`, { signal, yes: "Yes, for this session" });
    if (isAllowed) return { type: "allowed" };
    return { type: "refused", why: `the user did not allow the MCP server ${name} to connect to ${host}` };
  }
}

const MAX_RECENT_HOSTS = 12;

/** A pattern is `api.example.com`, `api.example.com:8443`, or `*.example.com` for all subdomains. */
function matchesHost(pattern: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const [, name = "", portText] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
  if (portText !== undefined && Number(portText) !== port) return false;
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}
