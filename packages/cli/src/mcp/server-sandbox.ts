/** Gives the program of an MCP server a sandbox of its own: a private home, a private temporary folder, a network that asks about hosts. */

import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import {
  detectBubblewrap,
  findRootProblem,
  openPrivateFolders,
  type PrivateFolders,
  type SandboxDetection,
  SandboxLauncher,
  SandboxNetwork,
} from "@pith/agent/node";
import type { Environment } from "@pith/models";
import { getHostRefusal, requireRootOwnedSandbox } from "../policy/permitted-parts.ts";
import { requiresSandbox } from "../policy/policy.ts";
import { expandTilde } from "../sandbox/sandbox.ts";
import type { NamedServer, Settings, StdioServer } from "../settings/settings.ts";
import type { LaunchPlan, NamedProgram } from "./plan-launch.ts";
import { findPackageFolder } from "./program-files.ts";
import type { ProgramSpawnOptions } from "./program-transport.ts";
import type { ServerHosts } from "./server-hosts.ts";

type AvailableSandbox = Extract<SandboxDetection, { type: "available" }>;

export interface SandboxContext {
  /** Pith's home. */
  readonly home: string;
  /** The workspace: nothing of it is used to make a sandbox. */
  readonly workspace: string;
  readonly environment: Environment;
  readonly settings: Pick<Settings, "sandbox" | "fetchHosts" | "unixSockets" | "policy">;
}

/** Whether the program of a server runs in a sandbox, and why not. */
export type SandboxState = AvailableSandbox | { readonly type: "unavailable"; readonly why: string };

/** Looked for once: making one to try it takes some milliseconds. */
export function createSandboxFinder({ workspace, environment, settings }: SandboxContext): FindSandbox {
  let detection: Promise<SandboxDetection> | null = null;
  return async ({ server }) => {
    const sandboxSetting =
      "sandbox" in server && server.sandbox !== undefined ? server.sandbox : (settings.sandbox ?? "on");
    if (sandboxSetting === "off" && !requiresSandbox(settings.policy))
      return { type: "unavailable", why: "your settings switch it off" };
    detection ??= detectBubblewrap({ root: workspace, environment });
    return requireRootOwnedSandbox(settings.policy, await detection);
  };
}

export type FindSandbox = (named: NamedServer) => Promise<SandboxState>;

export interface ServerSandboxOptions extends SandboxContext {
  readonly detection: AvailableSandbox;
  readonly namedServer: NamedProgram;
  /** The folder in which the server starts. */
  readonly cwd: string;
  readonly hosts: ServerHosts;
}

/** For a server and a session. */
export class ServerSandbox {
  readonly #options: ServerSandboxOptions;
  readonly #folders: PrivateFolders;
  #network: SandboxNetwork | null = null;

  private constructor(options: ServerSandboxOptions, folders: PrivateFolders) {
    this.#options = options;
    this.#folders = folders;
  }

  static async open(options: ServerSandboxOptions): Promise<ServerSandbox> {
    const { home, cwd, environment } = options;
    const folderOptions = { folder: join(home, "sandbox"), root: cwd, home: homedir(), environment };
    const folders = await openPrivateFolders(folderOptions);
    await folders.fillHome();
    return new ServerSandbox(options, folders);
  }

  /** What the program sees as its home. */
  get privateHome(): string {
    return this.#folders.home;
  }

  /** What to start in place of the program. What it throws says why there is no sandbox: then nothing is started. */
  async prepareLaunch(plan: LaunchPlan): Promise<ProgramSpawnOptions> {
    const { detection, home, namedServer, cwd, hosts, settings } = this.#options;
    this.#network ??= await this.#openNetwork();
    const launcher = new SandboxLauncher({
      program: detection.program,
      root: cwd,
      home: homedir(),
      privateHome: this.#folders.home,
      temporary: this.#folders.temporary,
      journal: this.#folders.journal,
      environment: plan.environment,
      network: this.#network,
      unixSockets: settings.unixSockets === "on",
      mayWrite: () => true,
      hidden: [home],
      readable: findReadableFolders(plan),
      writable: (namedServer.server.folders ?? []).map(expandTilde),
    });
    const argv = [plan.program, ...plan.arguments];
    const commandText = `MCP server ${namedServer.name}`;
    const result = launcher.prepare({ argv, commandText, onConnection: hosts.recordConnection });
    if (result.type === "failed") throw new Error(`its sandbox could not be made: ${result.why}`);
    const { program, arguments: args, root, environment, filter, release } = result.launch;
    return { program, arguments: args, cwd: root, environment, filter, release };
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

/** Why a folder of its settings cannot be given to it: what is not there, and whatever holds the home or its secrets. */
export function findUnfitFolder({ cwd, folders = [] }: StdioServer): string | null {
  const configuredFolders = [
    ...(cwd === undefined ? [] : [["cwd", cwd]]),
    ...folders.map((folder) => ["folders", folder]),
  ];
  for (const [setting, configuredPath = ""] of configuredFolders) {
    const path = expandTilde(configuredPath);
    const why =
      existsSync(path) && isAbsolute(path) ? findRootProblem(realpathSync(path), homedir()) : "it is not there";
    if (why !== null) return `its ${setting} names ${configuredPath}: ${why.replace("the workspace", "it")}`;
  }
  return null;
}

/** A server of the user's machine, such as `localhost:5432`. */
function parseLocalPort(host: string): readonly number[] {
  const [, portText] = /^(?:localhost|127\.0\.0\.1):(\d{1,5})$/.exec(host) ?? [];
  return portText === undefined ? [] : [Number(portText)];
}

/** What of the home the program itself needs: where it is installed, and the packages of its script. Only to be read. */
function findReadableFolders({ files }: LaunchPlan): readonly string[] {
  const [program = "", ...scripts] = Object.keys(files.program);
  return [...new Set([findInstallation(program), findPackageFolder(program), ...scripts.map(findPackageFolder)])];
}

/** `X/bin` belongs to the installation X where X looks like one, as a virtual environment of python does. */
function findInstallation(program: string): string {
  const folder = dirname(program);
  const parentFolder = dirname(folder);
  const isShared = parentFolder === homedir() || parentFolder === join(homedir(), ".local");
  const isInstallation = ["lib", "lib64", "pyvenv.cfg"].some((name) => existsSync(join(parentFolder, name)));
  return basename(folder) === "bin" && isInstallation && !isShared ? parentFolder : folder;
}
