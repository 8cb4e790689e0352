/** Implements `pith extensions add` and `rm`. An extension is inspected and shown before it is installed. */

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Call, Outcome } from "../args/subcommand.ts";
import { forbidden } from "../policy/policy.ts";
import { choose } from "../settings/resolve.ts";
import { canAsk, confirmed } from "../text/confirm.ts";
import { mistake } from "../text/usage-error.ts";
import { extensionsFolder } from "./extension-files.ts";
import { entryAt, packagesIn, userExtensions } from "./find.ts";
import { capabilityLines, lookInto } from "./inspect.ts";

export type NpmDone = { readonly type: "done" } | { readonly type: "failed"; readonly message: string };

/** Runs none of the package's scripts. */
export async function npm(act: "install" | "uninstall", folder: string, what: string): Promise<NpmDone> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const args = [act, ...flags, ...(act === "install" ? ["--save-exact"] : []), "--prefix", folder, what];
  try {
    await run("npm", args, { cwd: folder, timeout: PATIENCE_MS });
    return { type: "done" };
  } catch (error) {
    const {
      code,
      stderr = "",
      message,
    } = error as { readonly code?: unknown; readonly stderr?: string; readonly message: string };
    if (code === "ENOENT")
      return { type: "failed", message: "npm is needed for packages, and is not there; install Node with npm" };
    const [line = message] = stderr.split("\n").filter((each) => each.trim() !== "");
    return { type: "failed", message: `npm could not ${act} ${what}: ${line}` };
  }
}

const run = promisify(execFile);
const PATIENCE_MS = 120_000;

export async function added(call: Call): Promise<Outcome> {
  const chosen = await choose({}, call);
  if (chosen.type === "mistake") return chosen;
  const { policy } = chosen.choices;
  // What is added is the user's own, and a policy that names extensions allows none of these.
  if (policy?.extensions?.allow) return failed(forbidden(policy, "adding extensions"));
  const staging = realpathSync(mkdtempSync(join(tmpdir(), "pith-extension-")));
  try {
    const staged = await stage(call, staging);
    if (staged.type === "failed") return staged;
    const seen = await lookInto(staged.entry, staging);
    if (seen.type === "failed") return failed(`it was not added, as it cannot be loaded: ${seen.message}`);
    const { notes } = seen.capabilities;
    if (notes.length > 0) return failed(`it was not added: ${notes.join("; ").replaceAll(`${staging}/`, "")}`);
    const lines = [
      `${staged.name} would be run by Pith, with all your rights. It registers:`,
      ...capabilityLines(seen.capabilities),
    ];
    if (call.flags.yes !== true) {
      if (!canAsk()) return failed(`${lines.join("\n")}\nnothing was added; say it again with --yes to add it`);
      call.note(`${lines.join("\n")}\n`);
      if (!(await confirmed("Add it?"))) return failed("nothing was added");
    }
    const put = await staged.put();
    if (put !== null) return failed(put);
    const { name: _, notes: __, ...data } = seen.capabilities;
    return {
      type: "shown",
      text: [`${staged.name} was added`, ...lines.slice(1)].join("\n"),
      data: { name: staged.name, ...data },
    };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

type Staged =
  | {
      readonly type: "staged";
      readonly name: string;
      readonly entry: string;
      /** Puts it where it belongs; why that was not possible, or null. */
      readonly put: () => Promise<string | null>;
    }
  | Extract<Outcome, { type: "failed" }>;

async function stage({ arguments: [what = ""], cwd, home }: Call, staging: string): Promise<Staged> {
  const path = resolve(cwd, what);
  const folder = extensionsFolder(home);
  if (existsSync(path) && !/\.(tgz|tar\.gz)$/.test(path)) return copied(path, { staging, folder });
  const isTarball = existsSync(path);
  if (!isTarball && !/^(@[\w.-]+\/)?[\w.-]+(@[\w.^~-]+)?$/.test(what))
    return failed(`there is no ${what}; write a path, a tarball or the name of a package`);
  return await packaged({ what, path, isTarball, staging, folder });
}

interface Places {
  readonly staging: string;
  readonly folder: string;
}

function copied(path: string, { staging, folder }: Places): Staged {
  const name = basename(path);
  if (entryAt(path) === null)
    return failed(`${path} is no extension: a .ts, .js or .mjs file, or a folder with an index of that kind`);
  cpSync(path, join(staging, name), { recursive: true });
  const entry = entryAt(join(staging, name)) ?? join(staging, name);
  const target = join(folder, name);
  return {
    type: "staged",
    name,
    entry,
    put: async () => {
      if (existsSync(target)) return `there is an extension ${name} already; pith extensions rm ${name} takes it away`;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // The very files that were looked into.
      cpSync(join(staging, name), target, { recursive: true });
      return null;
    },
  };
}

interface Package extends Places {
  readonly what: string;
  readonly path: string;
  readonly isTarball: boolean;
}

async function packaged({ what, path, isTarball, staging, folder }: Package): Promise<Staged> {
  // The very bytes that are looked into are put there later.
  const own = join(staging, basename(path));
  if (isTarball) cpSync(path, own);
  const installed = await npm("install", staging, isTarball ? own : what);
  if (installed.type === "failed") return installed;
  const [found] = packagesIn(staging);
  if (!found)
    return failed(`${what} is no extension: its package.json names none with "pith": { "extension": "./file.js" }`);
  return {
    type: "staged",
    name: found.name,
    entry: found.path,
    put: async () => {
      mkdirSync(join(folder, TARBALLS), { recursive: true, mode: 0o700 });
      // Kept, so that npm finds it again when another package is added.
      const kept = join(folder, TARBALLS, basename(path));
      if (isTarball) cpSync(own, kept);
      const done = await npm("install", folder, isTarball ? kept : `${found.name}@${versionOf(found.name, staging)}`);
      return done.type === "failed" ? done.message : null;
    },
  };
}

const TARBALLS = ".tarballs";

/** As npm has installed it there. */
function versionOf(name: string, folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  return String(version);
}

function failed(message: string): Extract<Outcome, { type: "failed" }> {
  return { type: "failed", message };
}

export async function removed({ arguments: [name = ""], home }: Call): Promise<Outcome> {
  const folder = extensionsFolder(home);
  const { found } = existsSync(folder) ? userExtensions(home) : { found: [] };
  const meant = found.find((each) => each.name === name);
  if (!meant) return mistake(`there is no extension ${name} of yours; pith extensions list names them`);
  if (meant.from === "package") {
    const done = await npm("uninstall", folder, name);
    return done.type === "failed" ? done : { type: "shown", text: `${name} was uninstalled`, data: { name } };
  }
  // Somebody may have written it here.
  mkdirSync(join(folder, ASIDE), { recursive: true, mode: 0o700 });
  const path = join(folder, ASIDE, `${Date.now()}-${name}`);
  renameSync(join(folder, name), path);
  return { type: "shown", text: `${name} is not loaded any more; it lies in ${path}`, data: { name, path } };
}

const ASIDE = ".removed";
