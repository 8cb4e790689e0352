/** Runs commands in the sandbox runtime. A command that could not be wrapped, or whose sandbox did not start, does not run. */

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ShellAct, ShellEnd, WorkspaceShell } from "../../../ports.ts";
import { isWithin } from "../../../text.ts";
import { inBash, runInGroup, seenEnvironment } from "../../shell.ts";
import { presentPath } from "../box.ts";
import { unfitRoot } from "../detect.ts";
import { PROXY_VARIABLES } from "../network/network.ts";
import { openThrowawayFolders } from "../private-folders.ts";
import { commandConfig, networkConfig, type RuntimeBox, type StandingPlaces, standingPlaces } from "./config.ts";
import { RuntimeHost, SYSTEM_PATH } from "./host.ts";

export interface RuntimeShell extends WorkspaceShell {
  /** Ends the runtime's process. */
  close(): Promise<void>;
}

export interface RuntimeShellOptions {
  /** For which system commands are wrapped; for tests. */
  readonly platform?: NodeJS.Platform;
}

/** The runtime is compared with its hashes, loaded and started with the first command. */
export function runtimeShell(box: RuntimeBox, { platform }: RuntimeShellOptions = {}): RuntimeShell {
  const root = presentPath(box.root);
  let opened: Promise<Opened> | null = null;
  let running = 0;
  const open = (at: string): Promise<Opened> => {
    const own = { ...box, root: at };
    const config = { network: networkConfig(own), filesystem: NOTHING };
    opened ??= RuntimeHost.open({ runtime: box.runtime, root: at, config, ...(platform && { platform }) }).then(
      (host) => ({ host, box: own, standing: standingPlaces(own) }),
    );
    // What failed is tried again with the next command: the user may have installed it meanwhile.
    opened.catch(() => {
      opened = null;
    });
    return opened;
  };
  return {
    run: async (command, act) => {
      if (root === null || presentPath(box.root) !== root) return notStarted(`there is no folder ${box.root}`);
      const unfit = unfitRoot(root, box.home);
      if (unfit !== null) return notStarted(unfit);
      running += 1;
      try {
        const parts = await open(root);
        return hasSecrets(act) ? await runWithSecrets(command, parts, act) : await runIn(parts, command, act);
      } catch (error) {
        return notStarted(error instanceof Error ? error.message : String(error));
      } finally {
        running -= 1;
        // It is done again after the next command where it failed.
        if (running === 0) await (await opened?.catch(() => null))?.host.clean().catch(() => undefined);
      }
    },
    close: async () => {
      await (await opened?.catch(() => null))?.host.close();
    },
  };
}

interface Opened {
  readonly host: RuntimeHost;
  readonly box: RuntimeBox;
  readonly standing: StandingPlaces;
}

const NOTHING = { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] };

function hasSecrets({ environment = {}, credentialFiles = [] }: ShellAct): boolean {
  return Object.keys(environment).length > 0 || credentialFiles.length > 0;
}

/** In folders of its own: nothing that other commands left there gets hold of the secret. */
async function runWithSecrets(command: string, { host, box, standing }: Opened, act: ShellAct): Promise<ShellEnd> {
  const folders = await openThrowawayFolders(box);
  try {
    const own = { ...box, privateHome: folders.home, temporary: folders.temporary };
    const credentialFiles = linkCredentials(own, act.credentialFiles ?? []);
    return await runIn({ host, box: own, standing }, command, act, credentialFiles);
  } finally {
    await folders.close();
  }
}

/** Shows each file where the command looks for it, in its own home. The real files, through no link. */
function linkCredentials({ home, privateHome }: RuntimeBox, files: readonly string[]): readonly string[] {
  const real = presentPath(home) ?? home;
  const named = files.map((file) => (file.startsWith("~/") ? join(real, file.slice(2)) : file));
  const paths = named.filter((path) => isWithin(real, path) && presentPath(path) === path);
  for (const path of paths) {
    const shown = join(privateHome, relative(real, path));
    mkdirSync(dirname(shown), { recursive: true });
    rmSync(shown, { force: true });
    symlinkSync(path, shown);
  }
  return paths;
}

async function runIn(
  { host, box, standing }: Opened,
  command: string,
  act: ShellAct,
  credentialFiles: readonly string[] = [],
): Promise<ShellEnd> {
  const places = commandConfig({ ...box, standing, credentialFiles });
  if (places.type === "unkept") return notStarted(places.why);
  const joined = box.network?.join({ text: command, hosts: act.hosts, onConnection: act.onConnection });
  try {
    const seen = { ...seenEnvironment(box), ...act.environment };
    const { outer, inner } = splitEnvironment(seen);
    const credentials = joined && credentialsIn(joined.environment);
    const own = { ...inner, ...privatePlaces(box) };
    const line = await host.wrap(innerLine(command, own, credentials !== undefined), places.config);
    const environment = { ...outer, PATH: SYSTEM_PATH, ...(credentials && { [CREDENTIALS]: credentials }) };
    const words = ["--noprofile", "--norc", "-c", line];
    return await runWrapped({ program: "/bin/bash", arguments: words, root: box.root, environment }, act);
  } finally {
    joined?.leave();
  }
}

const LONGEST_COMPLAINT = 4_096;

async function runWrapped(launch: Parameters<typeof runInGroup>[0], act: ShellAct): Promise<ShellEnd> {
  const said = { status: "", complaint: "" };
  const wrapper = {
    status: (text: string): void => {
      said.status = (said.status + text).slice(-LONGEST_COMPLAINT);
    },
    complaint: (text: string): void => {
      said.complaint = (said.complaint + text).slice(-LONGEST_COMPLAINT);
    },
    isReplaced: true,
  };
  const end = await runInGroup({ ...launch, wrapper }, act);
  if (end.type === "ended" && !said.status.includes(STARTED))
    return notStarted(said.complaint.trim() || `the sandbox runtime ended with ${end.exitCode}`);
  if (said.complaint) act.output(new TextEncoder().encode(said.complaint));
  return end;
}

/** What the shell in the sandbox writes to its third file before the command. */
const STARTED = "started";

/** The variable that carries a command's credentials for the proxy into the sandbox: arguments can be seen by other users. */
const CREDENTIALS = "PITH_PROXY_CREDENTIALS";

/** Set by the runtime for proxies that speak other protocols than ours. */
const FOREIGN_VARIABLES: readonly string[] = [
  ...["GRPC_PROXY", "grpc_proxy", "FTP_PROXY", "ftp_proxy", "RSYNC_PROXY", "GIT_SSH_COMMAND", "SRT_SSH_PROXY_COMMAND"],
  ...[
    "DOCKER_HTTP_PROXY",
    "DOCKER_HTTPS_PROXY",
    "CLOUDSDK_PROXY_TYPE",
    "CLOUDSDK_PROXY_ADDRESS",
    "CLOUDSDK_PROXY_PORT",
  ],
  ...["CLAUDE_CODE_HOST_HTTP_PROXY_PORT", "CLAUDE_CODE_HOST_SOCKS_PROXY_PORT"],
];

/** The proxy listens inside at the port that the runtime's own variable names. Written for the bash 3.2 of macOS. */
function innerLine(command: string, variables: Readonly<Record<string, string>>, hasProxy: boolean): string {
  const isException = (name: string): boolean => /^no_proxy$/i.test(name);
  const proxies = PROXY_VARIABLES.map((name) => `export ${name}=${isException(name) ? LOCAL : '"$pith_proxy"'}`);
  const own = Object.entries(variables).map(([name, value]) => `export ${name}=${quoteWord(value)}`);
  return [
    `printf ${STARTED} >&3; exec 3>&-`,
    ...(hasProxy
      ? [
          `pith_proxy="http://$${CREDENTIALS}@127.0.0.1:\${HTTP_PROXY##*:}"`,
          ...proxies,
          "export NODE_USE_ENV_PROXY=1",
          `unset pith_proxy ${CREDENTIALS}`,
        ]
      : []),
    `unset ${FOREIGN_VARIABLES.join(" ")}`,
    ...own,
    `exec ${inBash(command).map(quoteWord).join(" ")}`,
  ].join("; ");
}

/** Reached without the proxy; the sandbox refuses it. */
const LOCAL = "localhost,127.0.0.1,::1";

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function credentialsIn({ HTTP_PROXY = "" }: Readonly<Record<string, string>>): string {
  const { username, password } = new URL(HTTP_PROXY);
  return `${username}:${password}`;
}

/** By these a shell, the system's loader or a C library takes code and settings from files that the user's environment names. */
const STARTUP_VARIABLE =
  /^(?:PATH|BASH.*|ENV|SHELLOPTS|PS4|IFS|CDPATH|LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCPATH|MALLOC_TRACE|NLSPATH|RESOLV_HOST_CONF|TZDIR)$/;
/** Names that a shell can set. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface SplitEnvironment {
  /** What the programs that make the sandbox may see. */
  readonly outer: Readonly<Record<string, string>>;
  /** What only the command sees. */
  readonly inner: Readonly<Record<string, string>>;
}

function splitEnvironment(environment: Readonly<Record<string, string>>): SplitEnvironment {
  const all = Object.entries(environment).filter(([name]) => !PROXY_VARIABLES.includes(name));
  const isInner = ([name]: readonly [string, string]): boolean => STARTUP_VARIABLE.test(name);
  const inner = all.filter((each) => isInner(each) && SHELL_NAME.test(each[0]));
  return {
    outer: Object.fromEntries(all.filter((each) => !isInner(each))),
    inner: Object.fromEntries(inner.filter(([name]) => !/^(?:BASHOPTS|SHELLOPTS|IFS|PS4)$/.test(name))),
  };
}

/** There are no mounts: the private folders keep their own paths. npm's look for a newer npm would ask about a host that nobody needs. */
function privatePlaces({ privateHome, temporary }: RuntimeBox): Record<string, string> {
  const places = { HOME: privateHome, TMPDIR: temporary, TMP: temporary, TEMP: temporary };
  return { ...places, npm_config_update_notifier: "false" };
}

function notStarted(why: string): ShellEnd {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be made: ${why}` };
}
