/** Plans how the program of a stdio server is started: which file, in which folder, with which variables. Starts nothing. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { withoutTilde } from "../sandbox/sandbox.ts";
import { type NamedServer, namer, type StdioServer } from "../settings/settings.ts";
import { hashProgramFiles, type ProgramFiles } from "./program-files.ts";
import { type ProgramPlace, resolveProgram } from "./resolve-program.ts";
import { pinKey } from "./trusted-tools.ts";

/** A server that is a program. */
export type NamedProgram = NamedServer<StdioServer>;

export interface LaunchPlace extends ProgramPlace {
  /** Pith's home. */
  readonly home: string;
}

/** Whether the program runs in a sandbox. */
export type Confinement =
  | {
      readonly type: "sandboxed";
      /** What the program sees as its home. */
      readonly privateHome: string;
      /** Why it reaches no host at all; null where hosts are decided about one by one. */
      readonly networkProblem: string | null;
    }
  | { readonly type: "unconfined"; readonly why: string }
  /** Its settings ask for what no sandbox gives. */
  | { readonly type: "unfit"; readonly why: string };

export type Confine = (named: NamedProgram, cwd: string) => Promise<Confinement>;

export interface LaunchPlan {
  readonly named: NamedProgram;
  /** Absolute. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** The folder in which it starts. */
  readonly cwd: string;
  /** All that it sees of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly confinement: Exclude<Confinement, { type: "unfit" }>;
  /** As they were before the start. */
  readonly files: ProgramFiles;
}

export type LaunchPlanned =
  | { readonly type: "planned"; readonly plan: LaunchPlan }
  /** Why it cannot be started. */
  | { readonly type: "failed"; readonly why: string };

export async function planLaunch(
  named: NamedProgram,
  { confine, ...place }: LaunchPlace & { readonly confine: Confine },
): Promise<LaunchPlanned> {
  const { command, args = [], env = {}, cwd: wanted } = named.server;
  const found = resolveProgram(named.server, place);
  if (found.type === "not-found")
    return failed(`the program ${command} ${found.why} (it is named by ${namer[named.from]})`);
  const cwd = wanted === undefined ? await makeOwnFolder(named, place) : withoutTilde(wanted);
  if (!isAbsolute(cwd)) return failed(`its cwd ${cwd} is a relative path; write the whole path`);
  if (!existsSync(cwd)) return failed(`the folder ${cwd} is gone`);
  const environment: Record<string, string> = { ...passedOn(place.environment), ...env, PATH: found.searchPath };
  const confinement = await confine(named, cwd);
  if (confinement.type === "unfit") return failed(confinement.why);
  const started = { named, program: found.path, arguments: args, cwd, environment, confinement };
  return { type: "planned", plan: { ...started, files: await hashFilesOf(started) } };
}

/** The files as they are now: a launcher fetches its packages while it starts. */
export function hashFilesOf({
  environment,
  confinement,
  ...started
}: Omit<LaunchPlan, "files">): Promise<ProgramFiles> {
  const home = confinement.type === "sandboxed" ? confinement.privateHome : (environment.HOME ?? homedir());
  return hashProgramFiles({ ...started, home });
}

function failed(why: string): LaunchPlanned {
  return { type: "failed", why };
}

/** A server that a folder or an editor names shares its folder with no server that others give the same name. */
async function makeOwnFolder(named: NamedProgram, { home, workspace }: LaunchPlace): Promise<string> {
  const key = createHash("sha256").update(pinKey(named, workspace)).digest("hex").slice(0, 12);
  const folder = join(home, "mcp", named.from === "settings" ? named.name : `${named.name}.${key}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
}

/** S24: no key is among them. */
const PASSED_ON = /^(?:HOME|LOGNAME|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR)$/;

function passedOn(environment: LaunchPlace["environment"]): Record<string, string> {
  const pairs = Object.entries(environment).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined);
  return Object.fromEntries(pairs) as Record<string, string>;
}
