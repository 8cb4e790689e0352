/** Runs commands in the sandbox runtime. A command that cannot be wrapped, or whose sandbox does not start, does not run. */

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { ShellOptions, ShellResult, WorkspaceShell } from "../../ports.ts";
import { isWithin, quoteForShell } from "../../text.ts";
import { findRootProblem } from "../sandbox/detect.ts";
import {
  isLoaderVariable,
  privateFolderVariables,
  type SplitEnvironment,
  splitEnvironment,
} from "../sandbox/environment.ts";
import { defaultLimits, LimitWatcher } from "../sandbox/limits.ts";
import { resolveExistingPath } from "../sandbox/options.ts";
import { openThrowawayFolders } from "../sandbox/private-folders.ts";
import { captureWrapperOutput, hasSecrets, notStartedResult } from "../sandbox/shell.ts";
import { PROXY_VARIABLES } from "../sandbox-network/network.ts";
import { bashArguments, commandEnvironment, createCommandTimer, runInGroup } from "../shell.ts";
import {
  createCommandConfig,
  createNetworkConfig,
  type FixedPaths,
  findFixedPaths,
  type RuntimeSandboxOptions,
} from "./config.ts";
import { RuntimeHost, SYSTEM_PATH } from "./host-process.ts";

/** A shell in the sandbox runtime, to be closed after use. */
export interface RuntimeShell extends WorkspaceShell {
  /** Ends the runtime's process. */
  close(): Promise<void>;
}

export interface RuntimeShellOptions {
  /** The system for which commands are wrapped; for tests. */
  readonly platform?: NodeJS.Platform;
}

/** The first command verifies, loads and starts the runtime. */
export function runtimeShell(sandbox: RuntimeSandboxOptions, { platform }: RuntimeShellOptions = {}): RuntimeShell {
  const root = resolveExistingPath(sandbox.root);
  let runtime: Promise<OpenRuntime> | null = null;
  let runningCount = 0;
  const open = (realRoot: string): Promise<OpenRuntime> => {
    const ownSandbox = { ...sandbox, root: realRoot };
    const config = { network: createNetworkConfig(ownSandbox), filesystem: NO_ACCESS };
    runtime ??= RuntimeHost.open({
      runtime: sandbox.runtime,
      root: realRoot,
      config,
      ...(platform && { platform }),
    }).then((host) => ({
      host,
      sandbox: ownSandbox,
      fixedPaths: findFixedPaths(ownSandbox),
      limitWatcher: createLimitWatcher(ownSandbox),
    }));
    // The next command tries again: the user may have installed it by then.
    runtime.catch(() => {
      runtime = null;
    });
    return runtime;
  };
  return {
    run: async (command, options) => {
      if (root === null || resolveExistingPath(sandbox.root) !== root)
        return notStartedResult(`folder ${sandbox.root} does not exist`);
      const rootProblem = findRootProblem(root, sandbox.home);
      if (rootProblem !== null) return notStartedResult(rootProblem);
      runningCount += 1;
      try {
        const openRuntime = await open(root);
        return hasSecrets(options)
          ? await runWithSecrets(command, openRuntime, options)
          : await runCommand(openRuntime, command, options);
      } catch (error) {
        return notStartedResult(error instanceof Error ? error.message : String(error));
      } finally {
        runningCount -= 1;
        // If it fails, it runs again after the next command.
        if (runningCount === 0) await (await runtime?.catch(() => null))?.host.cleanUp().catch(() => undefined);
      }
    },
    close: async () => {
      await (await runtime?.catch(() => null))?.host.close();
    },
  };
}

interface OpenRuntime {
  readonly host: RuntimeHost;
  readonly sandbox: RuntimeSandboxOptions;
  readonly fixedPaths: FixedPaths;
  readonly limitWatcher: LimitWatcher;
}

/** macOS has no `/proc`, so there only the temporary folder is limited. */
function createLimitWatcher({ limits = defaultLimits(), temporary }: RuntimeSandboxOptions): LimitWatcher {
  return new LimitWatcher(limits, temporary);
}

const NO_ACCESS = { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] };

/** Uses separate folders, so that nothing other commands left there can read the secret. */
async function runWithSecrets(
  command: string,
  { host, sandbox, fixedPaths }: OpenRuntime,
  options: ShellOptions,
): Promise<ShellResult> {
  const folders = await openThrowawayFolders(sandbox);
  try {
    const separate = { ...sandbox, privateHome: folders.home, temporary: folders.temporary };
    const credentialFiles = linkCredentials(separate, options.credentialFiles ?? []);
    const separateRuntime = { host, sandbox: separate, fixedPaths, limitWatcher: createLimitWatcher(separate) };
    return await runCommand(separateRuntime, command, options, credentialFiles);
  } finally {
    await folders.close();
  }
}

/** Links each file into the private home, where the command looks for it. Files that are reached by a link are left out. */
function linkCredentials({ home, privateHome }: RuntimeSandboxOptions, files: readonly string[]): readonly string[] {
  const realHome = resolveExistingPath(home) ?? home;
  const namedPaths = files.map((file) => (file.startsWith("~/") ? join(realHome, file.slice(2)) : file));
  const paths = namedPaths.filter((path) => isWithin(realHome, path) && resolveExistingPath(path) === path);
  for (const path of paths) {
    const linkPath = join(privateHome, relative(realHome, path));
    mkdirSync(dirname(linkPath), { recursive: true });
    rmSync(linkPath, { force: true });
    symlinkSync(path, linkPath);
  }
  return paths;
}

async function runCommand(
  { host, sandbox, fixedPaths, limitWatcher: { watch } }: OpenRuntime,
  command: string,
  options: ShellOptions,
  credentialFiles: readonly string[] = [],
): Promise<ShellResult> {
  const configResult = createCommandConfig({ ...sandbox, fixedPaths, credentialFiles });
  if (configResult.type === "failed") return notStartedResult(configResult.why);
  const timer = createCommandTimer(options);
  const networkCommand = sandbox.network?.registerCommand({
    text: command,
    hosts: options.hosts,
    onConnection: options.onConnection,
    waitForUser: timer.waitForUser,
  });
  try {
    const visibleEnvironment = { ...commandEnvironment(sandbox), ...options.environment };
    const { outer, inner } = splitRuntimeEnvironment(visibleEnvironment);
    const credentials = networkCommand && proxyCredentials(networkCommand.environment);
    // There are no mounts: the private folders keep their own paths.
    const innerEnvironment = { ...inner, ...privateFolderVariables(sandbox.privateHome, sandbox.temporary) };
    const commandLine = await host.wrap(
      buildCommandLine(command, innerEnvironment, credentials !== undefined),
      configResult.config,
    );
    const environment = { ...outer, PATH: SYSTEM_PATH, ...(credentials && { [CREDENTIALS_VARIABLE]: credentials }) };
    const args = ["--noprofile", "--norc", "-c", commandLine];
    const launch = { program: "/bin/bash", arguments: args, root: sandbox.root, environment, timer, watch };
    return await runWrapped(launch, options);
  } finally {
    networkCommand?.unregister();
  }
}

async function runWrapped(launch: Parameters<typeof runInGroup>[0], options: ShellOptions): Promise<ShellResult> {
  const output = captureWrapperOutput();
  const end = await runInGroup({ ...launch, wrapper: { ...output.listeners, isReplaced: true } }, options);
  const errorOutput = output.errorOutput();
  if (end.type === "ended" && !output.status().includes(STARTED_MARK))
    return notStartedResult(errorOutput.trim() || `the sandbox runtime exited with ${end.exitCode}`);
  if (errorOutput) options.onOutput(new TextEncoder().encode(errorOutput));
  return end;
}

/** The shell in the sandbox writes this to file descriptor 3 before the command. */
const STARTED_MARK = "started";

/** Carries the credentials for the proxy into the sandbox. Not an argument, which other users could see. */
const CREDENTIALS_VARIABLE = "PITH_PROXY_CREDENTIALS";

/** Set by the runtime for proxies with protocols that Pith's proxy does not support. */
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

/** Inside, the proxy listens on the port in the runtime's own `HTTP_PROXY`. Written for bash 3.2 of macOS. */
function buildCommandLine(command: string, variables: Readonly<Record<string, string>>, hasProxy: boolean): string {
  const isException = (name: string): boolean => /^no_proxy$/i.test(name);
  const proxies = PROXY_VARIABLES.map(
    (name) => `export ${name}=${isException(name) ? NO_PROXY_HOSTS : '"$pith_proxy"'}`,
  );
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}=${quoteForShell(value)}`);
  return [
    `printf ${STARTED_MARK} >&3; exec 3>&-`,
    ...(hasProxy
      ? [
          `pith_proxy="http://$${CREDENTIALS_VARIABLE}@127.0.0.1:\${HTTP_PROXY##*:}"`,
          ...proxies,
          "export NODE_USE_ENV_PROXY=1",
          `unset pith_proxy ${CREDENTIALS_VARIABLE}`,
        ]
      : []),
    `unset ${FOREIGN_VARIABLES.join(" ")}`,
    ...exports,
    `exec ${bashArguments(command).map(quoteForShell).join(" ")}`,
  ].join("; ");
}

/** Not sent through the proxy; the sandbox blocks these addresses. */
const NO_PROXY_HOSTS = "localhost,127.0.0.1,::1";

function proxyCredentials({ HTTP_PROXY = "" }: Readonly<Record<string, string>>): string {
  const { username, password } = new URL(HTTP_PROXY);
  return `${username}:${password}`;
}

/** Variables that make a shell or the macOS loader read code and settings from files. */
const STARTUP_VARIABLE = /^(?:PATH|BASH.*|ENV|SHELLOPTS|PS4|IFS|CDPATH|DYLD_.*)$/;
/** Names that a shell can set. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Read-only in bash, or able to change how the exports are read. */
const UNSETTABLE_NAME = /^(?:BASHOPTS|SHELLOPTS|IFS|PS4)$/;

function splitRuntimeEnvironment(environment: Readonly<Record<string, string>>): SplitEnvironment {
  const withoutProxies = Object.entries(environment).filter(([name]) => !PROXY_VARIABLES.includes(name));
  const { outer, inner } = splitEnvironment(
    Object.fromEntries(withoutProxies),
    (name) => STARTUP_VARIABLE.test(name) || isLoaderVariable(name),
  );
  const settable = Object.entries(inner).filter(([name]) => SHELL_NAME.test(name) && !UNSETTABLE_NAME.test(name));
  return { outer, inner: Object.fromEntries(settable) };
}
