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
import { refuseHost, requireHeldSandbox } from "../policy/permitted-parts.ts";
import { requiresSandbox } from "../policy/policy.ts";
import { withoutTilde } from "../sandbox/sandbox.ts";
import type { NamedServer, Settings, StdioServer } from "../settings/settings.ts";
import type { LaunchPlan, NamedProgram } from "./plan-launch.ts";
import { packageFolder } from "./program-files.ts";
import type { ProgramStart } from "./program-transport.ts";
import type { ServerHosts } from "./server-hosts.ts";

type Works = Extract<SandboxDetection, { type: "available" }>;

export interface SandboxPlace {
  /** Pith's home. */
  readonly home: string;
  /** The workspace: nothing of it is used to make a sandbox. */
  readonly workspace: string;
  readonly environment: Environment;
  readonly choices: Pick<Settings, "sandbox" | "fetchHosts" | "unixSockets" | "policy">;
}

/** Whether the program of a server runs in a sandbox, and why not. */
export type SandboxState = Works | { readonly type: "unavailable"; readonly why: string };

/** Looked for once: making one to try it takes some milliseconds. */
export function sandboxFinder({ workspace, environment, choices }: SandboxPlace): FindSandbox {
  let found: Promise<SandboxDetection> | null = null;
  return async ({ server }) => {
    const wanted = "sandbox" in server && server.sandbox !== undefined ? server.sandbox : (choices.sandbox ?? "on");
    if (wanted === "off" && !requiresSandbox(choices.policy))
      return { type: "unavailable", why: "your settings switch it off" };
    found ??= detectBubblewrap({ root: workspace, environment });
    return requireHeldSandbox(choices.policy, await found);
  };
}

export type FindSandbox = (named: NamedServer) => Promise<SandboxState>;

export interface ServerSandboxParts extends SandboxPlace {
  readonly here: Works;
  readonly named: NamedProgram;
  /** The folder in which the server starts. */
  readonly cwd: string;
  readonly hosts: ServerHosts;
}

/** For a server and a session. */
export class ServerSandbox {
  readonly #parts: ServerSandboxParts;
  readonly #folders: PrivateFolders;
  #network: SandboxNetwork | null = null;

  private constructor(parts: ServerSandboxParts, folders: PrivateFolders) {
    this.#parts = parts;
    this.#folders = folders;
  }

  static async open(parts: ServerSandboxParts): Promise<ServerSandbox> {
    const { home, cwd, environment } = parts;
    const options = { folder: join(home, "sandbox"), root: cwd, home: homedir(), environment };
    const folders = await openPrivateFolders(options);
    await folders.fillHome();
    return new ServerSandbox(parts, folders);
  }

  /** What the program sees as its home. */
  get privateHome(): string {
    return this.#folders.home;
  }

  /** What to start in place of the program. What it throws says why there is no sandbox: then nothing is started. */
  async prepare(plan: LaunchPlan): Promise<ProgramStart> {
    const { here, home, named, cwd, hosts, choices } = this.#parts;
    this.#network ??= await this.#openNetwork();
    const launcher = new SandboxLauncher({
      program: here.program,
      root: cwd,
      home: homedir(),
      privateHome: this.#folders.home,
      temporary: this.#folders.temporary,
      journal: this.#folders.journal,
      environment: plan.environment,
      network: this.#network,
      unixSockets: choices.unixSockets === "on",
      mayWrite: () => true,
      hidden: [home],
      readable: shownFolders(plan),
      writable: (named.server.folders ?? []).map(withoutTilde),
    });
    const words = [plan.program, ...plan.arguments];
    const text = `MCP server ${named.name}`;
    const result = launcher.prepare({ argv: words, commandText: text, onConnection: hosts.record });
    if (result.type === "failed") throw new Error(`its sandbox could not be made: ${result.why}`);
    const { program, arguments: all, root, environment, filter, release } = result.launch;
    return { program, arguments: all, cwd: root, environment, filter, release };
  }

  async #openNetwork(): Promise<SandboxNetwork | null> {
    const { here, environment, choices, named, hosts } = this.#parts;
    if (here.program.nsenter === null) return null;
    const privateHosts = choices.fetchHosts ?? [];
    const network = await SandboxNetwork.open({
      program: here.program,
      environment,
      permitHost: hosts.permitHost,
      privateHosts,
    });
    const ports = (named.server.hosts ?? []).flatMap(localPort);
    for (const port of ports.filter((each) => refuseHost(choices.policy, "localhost", each) === null))
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
  const wanted = [...(cwd === undefined ? [] : [["cwd", cwd]]), ...folders.map((folder) => ["folders", folder])];
  for (const [setting, written = ""] of wanted) {
    const path = withoutTilde(written);
    const why =
      existsSync(path) && isAbsolute(path) ? findRootProblem(realpathSync(path), homedir()) : "it is not there";
    if (why !== null) return `its ${setting} names ${written}: ${why.replace("the workspace", "it")}`;
  }
  return null;
}

/** A server of the user's machine, such as `localhost:5432`. */
function localPort(host: string): readonly number[] {
  const [, digits] = /^(?:localhost|127\.0\.0\.1):(\d{1,5})$/.exec(host) ?? [];
  return digits === undefined ? [] : [Number(digits)];
}

/** What of the home the program itself needs: where it is installed, and the packages of its script. Only to be read. */
function shownFolders({ files }: LaunchPlan): readonly string[] {
  const [program = "", ...scripts] = Object.keys(files.program);
  return [...new Set([installationOf(program), packageFolder(program), ...scripts.map(packageFolder)])];
}

/** `X/bin` belongs to the installation X where X looks like one, as a virtual environment of python does. */
function installationOf(program: string): string {
  const folder = dirname(program);
  const around = dirname(folder);
  const isShared = around === homedir() || around === join(homedir(), ".local");
  const isInstallation = ["lib", "lib64", "pyvenv.cfg"].some((name) => existsSync(join(around, name)));
  return basename(folder) === "bin" && isInstallation && !isShared ? around : folder;
}
