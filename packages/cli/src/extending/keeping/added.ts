/** A new extension of the user: looked into first, shown, and then put where the others lie. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { canAsk, confirmed } from "../../home/trust/telling/confirmed.ts";
import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { extensionsFolder } from "../finding/extensions-folder.ts";
import { entryAt, packagesIn } from "../finding/user-extensions.ts";
import { capabilityLines } from "./capabilities.ts";
import { lookInto } from "./look-into.ts";
import { npm } from "./npm.ts";

export async function added(call: Call): Promise<Outcome> {
  const staging = realpathSync(mkdtempSync(join(tmpdir(), "pith-extension-")));
  try {
    const staged = await stage(call, staging);
    if (staged.type === "failed") return staged;
    const seen = await lookInto(staged.entry, staging);
    if (seen.type === "failed") return failed(`it was not added, as it cannot be loaded: ${seen.message}`);
    const { notes } = seen.capabilities;
    if (notes.length > 0) return failed(`it was not added: ${notes.join("; ").replaceAll(`${staging}/`, "")}`);
    const lines = [
      `${staged.name} would be run by Pith, with all your rights. It`,
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
