/** Plans the start of a stdio server: executable, working directory, environment and sandbox. Does not start it. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { isExecutable, selectCertificateVariables } from "@pith/agent/node";
import type { Environment } from "@pith/models";
import type { HostContext } from "../host-context.ts";
import { type NamedServer, type StdioServer, serverSourceLabels } from "../settings/settings.ts";
import { expandTilde } from "../text/shell-words.ts";
import { hashProgramFiles, type ProgramFiles, resolveIfExistsSync } from "./program-files.ts";
import { trustRecordKey } from "./trust-records.ts";

export type NamedProgram = NamedServer<StdioServer>;

export interface LaunchContext extends ProgramSearchContext, Pick<HostContext, "home" | "userHome"> {}

/** Whether the program runs in a sandbox. */
export type Confinement =
  | {
      readonly type: "sandboxed";
      /** The home folder that the program sees. */
      readonly privateHome: string;
      /** Why the program has no network. Null if each host is decided separately. */
      readonly networkProblem: string | null;
    }
  | { readonly type: "unconfined"; readonly why: string }
  /** The policy or a configured folder does not permit the start. */
  | { readonly type: "refused"; readonly why: string };

export type Confine = (namedServer: NamedProgram, cwd: string) => Promise<Confinement>;

export interface LaunchPlan {
  readonly namedServer: NamedProgram;
  /** An absolute path. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The working directory. */
  readonly cwd: string;
  /** The complete environment of the program. */
  readonly environment: Readonly<Record<string, string>>;
  readonly confinement: Exclude<Confinement, { type: "refused" }>;
  /** The home folder that the program sees. */
  readonly home: string;
  /** The files of the program, hashed before the start. */
  readonly files: ProgramFiles;
}

export type PlanLaunchResult =
  | { readonly type: "planned"; readonly plan: LaunchPlan }
  | { readonly type: "failed"; readonly why: string };

export async function planLaunch(
  namedServer: NamedProgram,
  { confine, ...context }: LaunchContext & { readonly confine: Confine },
): Promise<PlanLaunchResult> {
  const { command, args = [], env = {}, cwd: configuredCwd } = namedServer.server;
  const resolved = resolveProgram(namedServer.server, context);
  if (resolved.type === "not-found")
    return createFailure(
      `the program ${command} ${resolved.why} (configured in ${serverSourceLabels[namedServer.from]})`,
    );
  const cwd =
    configuredCwd === undefined
      ? await createServerFolder(namedServer, context)
      : expandTilde(configuredCwd, context.userHome);
  if (!isAbsolute(cwd)) return createFailure(`its cwd ${cwd} is a relative path; use an absolute path`);
  if (!existsSync(cwd)) return createFailure(`the folder ${cwd} does not exist`);
  const environment: Record<string, string> = {
    ...selectInheritedVariables(context.environment),
    ...selectCertificateVariables(context.environment, [context.workspace, resolveIfExistsSync(context.workspace)]),
    ...env,
    PATH: resolved.searchPath,
  };
  const confinement = await confine(namedServer, cwd);
  if (confinement.type === "refused") return createFailure(confinement.why);
  const home = confinement.type === "sandboxed" ? confinement.privateHome : (environment.HOME ?? context.userHome);
  const launch = { namedServer, program: resolved.path, arguments: args, cwd, environment, confinement, home };
  return { type: "planned", plan: { ...launch, files: await hashProgramFiles(launch) } };
}

function createFailure(why: string): PlanLaunchResult {
  return { type: "failed", why };
}

/** The name contains a hash if a folder or an editor configures the server, so that no other server of the same name uses the directory. */
async function createServerFolder(namedServer: NamedProgram, { home, workspace }: LaunchContext): Promise<string> {
  const key = createHash("sha256").update(trustRecordKey(namedServer, workspace)).digest("hex").slice(0, 12);
  const folder = join(home, "mcp", namedServer.from === "settings" ? namedServer.name : `${namedServer.name}.${key}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}

/** S24: variables with API keys are not inherited. */
const INHERITED_VARIABLES = /^(?:HOME|LOGNAME|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR)$/;

function selectInheritedVariables(environment: LaunchContext["environment"]): Record<string, string> {
  const variables = Object.entries(environment).filter(
    ([name, value]) => INHERITED_VARIABLES.test(name) && value !== undefined,
  );
  return Object.fromEntries(variables) as Record<string, string>;
}

export interface ProgramSearchContext {
  /** The absolute path of the workspace. */
  readonly workspace: string;
  readonly environment: Environment;
}

export type ResolveProgramResult =
  | {
      readonly type: "found";
      /** An absolute path. Symbolic links are not resolved, because some programs depend on the name they are called by. */
      readonly path: string;
      /** The value of PATH for the server, without relative folders and folders in the workspace. */
      readonly searchPath: string;
    }
  /** `why` continues a sentence that begins with the program's name. */
  | { readonly type: "not-found"; readonly why: string };

/** Uses an absolute path as it is. Searches a name in the folders of PATH that are absolute and outside the workspace. */
function resolveProgram({ command, env = {} }: StdioServer, context: ProgramSearchContext): ResolveProgramResult {
  const workspace = resolveIfExistsSync(context.workspace);
  const pathFolders = (env.PATH ?? context.environment.PATH ?? "").split(delimiter);
  const allowedFolders = pathFolders.filter((folder) => isAbsolute(folder) && !isInWorkspace(folder, workspace));
  const searchPath = allowedFolders.join(delimiter);
  if (isAbsolute(command))
    return isExecutable(command)
      ? { type: "found", path: command, searchPath }
      : { type: "not-found", why: "does not exist or is not executable" };
  if (command.includes(sep)) return { type: "not-found", why: "is a relative path; use an absolute path" };
  const candidates = allowedFolders.map((folder) => join(folder, command)).filter(isExecutable);
  const path = candidates.find((candidate) => !isInWorkspace(candidate, workspace));
  if (path !== undefined) return { type: "found", path, searchPath };
  return pathFolders.some((folder) => isExecutable(resolve(context.workspace, folder, command)))
    ? { type: "not-found", why: "was found only in the workspace; to use it anyway, write its absolute path" }
    : { type: "not-found", why: "was not found; install it, or use its absolute path" };
}

function isInWorkspace(path: string, workspace: string): boolean {
  const realPath = resolveIfExistsSync(path);
  return realPath === workspace || realPath.startsWith(workspace.endsWith(sep) ? workspace : `${workspace}${sep}`);
}
