/** Implements `pith extensions add` and `rm`. An extension is inspected and shown before it is installed. */

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { extensionsFolder } from "@pith/host/extensions/extension-files";
import { findEntryFile, findInstalledPackages, findUserExtensions } from "@pith/host/extensions/find";
import { formatRefusal } from "@pith/host/policy/policy";
import { usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { loadSettings } from "../settings/resolve.ts";
import { canPrompt, confirm } from "../text/process-io.ts";
import { formatCapabilities, inspectExtension } from "./inspect.ts";

export type NpmResult = { readonly type: "done" } | { readonly type: "failed"; readonly message: string };

/** Runs `npm` in a folder. Scripts of the package are not run. */
async function runNpm(command: "install" | "uninstall", folder: string, packageSpec: string): Promise<NpmResult> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  const args = [command, ...flags, ...(command === "install" ? ["--save-exact"] : []), "--prefix", folder, packageSpec];
  try {
    await execFileAsync("npm", args, { cwd: folder, timeout: NPM_TIMEOUT_MS });
    return { type: "done" };
  } catch (error) {
    const {
      code,
      stderr = "",
      message,
    } = error as { readonly code?: unknown; readonly stderr?: string; readonly message: string };
    if (code === "ENOENT")
      return { type: "failed", message: "packages require npm, which was not found; install Node with npm" };
    const [line = message] = stderr.split("\n").filter((outputLine) => outputLine.trim() !== "");
    return { type: "failed", message: `npm could not ${command} ${packageSpec}: ${line}` };
  }
}

const execFileAsync = promisify(execFile);
const NPM_TIMEOUT_MS = 120_000;

export async function runAddExtension(call: SubcommandCall): Promise<SubcommandResult> {
  const { environment } = call;
  const resolved = await loadSettings({}, call);
  if (resolved.type === "mistake") return resolved;
  const { policy } = resolved.settings;
  // An added extension would be the user's own. A policy with an allow list excludes all of these.
  if (policy?.extensions?.allow) return failure(formatRefusal(policy, "adding extensions"));
  const stagingFolder = realpathSync(mkdtempSync(join(tmpdir(), "pith-extension-")));
  try {
    const extension = await stageExtension(call, stagingFolder);
    if (extension.type === "failed") return extension;
    const inspection = await inspectExtension(extension.entryFile, { folder: stagingFolder, environment });
    if (inspection.type === "failed")
      return failure(`the extension was not added, because it cannot be loaded: ${inspection.message}`);
    const capabilities = inspection.type === "inspected" ? inspection.capabilities : null;
    const notes = capabilities?.notes ?? [];
    if (notes.length > 0)
      return failure(`the extension was not added: ${notes.join("; ").replaceAll(`${stagingFolder}/`, "")}`);
    const lines = [
      `Pith would run ${extension.name} with your full user permissions.`,
      ...(inspection.type === "inspected"
        ? ["It says that it registers:", ...formatCapabilities(inspection.capabilities)]
        : [`Its code was not run to see what it registers, because ${inspection.why}. Read it before you add it.`]),
    ];
    if (call.flags.yes !== true) {
      if (!canPrompt())
        return failure(`${lines.join("\n")}\nNothing was added. To add it, run the command again with --yes.`);
      call.notify(`${lines.join("\n")}\n`);
      if (!(await confirm("Add it?"))) return failure("nothing was added");
    }
    const installError = await extension.install();
    if (installError !== null) return failure(installError);
    const { name: _, notes: __, ...data } = capabilities ?? { name: "", notes: [] };
    return {
      type: "success",
      text: [`Added ${extension.name}.`, ...lines.slice(1)].join("\n"),
      data: { name: extension.name, isInspected: capabilities !== null, ...data },
    };
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
}

type StagedExtension =
  | {
      readonly type: "staged";
      readonly name: string;
      readonly entryFile: string;
      /** Copies the extension to the user's folder. Returns the error, or null on success. */
      readonly install: () => Promise<string | null>;
    }
  | Extract<SubcommandResult, { type: "failed" }>;

async function stageExtension(
  { arguments: [source = ""], cwd, home }: SubcommandCall,
  stagingFolder: string,
): Promise<StagedExtension> {
  const path = resolve(cwd, source);
  const targetFolder = extensionsFolder(home);
  if (existsSync(path) && !/\.(tgz|tar\.gz)$/.test(path)) return stageCopy(path, { stagingFolder, targetFolder });
  const isTarball = existsSync(path);
  if (!isTarball && !/^(@[\w.-]+\/)?[\w.-]+(@[\w.^~-]+)?$/.test(source))
    return failure(`${source} was not found; specify a path, a tarball or a package name`);
  return await stagePackage({ packageSpec: source, path, isTarball, stagingFolder, targetFolder });
}

interface InstallFolders {
  readonly stagingFolder: string;
  readonly targetFolder: string;
}

function stageCopy(path: string, { stagingFolder, targetFolder }: InstallFolders): StagedExtension {
  const name = basename(path);
  if (findEntryFile(path) === null)
    return failure(
      `${path} is not an extension; expected a .ts, .js or .mjs file, or a folder with such an index file`,
    );
  cpSync(path, join(stagingFolder, name), { recursive: true });
  const entryFile = findEntryFile(join(stagingFolder, name)) ?? join(stagingFolder, name);
  const target = join(targetFolder, name);
  return {
    type: "staged",
    name,
    entryFile,
    install: async () => {
      if (existsSync(target)) return `the extension ${name} already exists; remove it with: pith extensions rm ${name}`;
      mkdirSync(targetFolder, { recursive: true, mode: 0o700 });
      // Copies the inspected files, not the original ones, which may have changed.
      cpSync(join(stagingFolder, name), target, { recursive: true });
      return null;
    },
  };
}

interface PackageSource extends InstallFolders {
  readonly packageSpec: string;
  readonly path: string;
  readonly isTarball: boolean;
}

async function stagePackage({
  packageSpec,
  path,
  isTarball,
  stagingFolder,
  targetFolder,
}: PackageSource): Promise<StagedExtension> {
  // Copies the tarball first, so that the inspected bytes are the ones that are installed.
  const stagedTarball = join(stagingFolder, basename(path));
  if (isTarball) cpSync(path, stagedTarball);
  const stagingResult = await runNpm("install", stagingFolder, isTarball ? stagedTarball : packageSpec);
  if (stagingResult.type === "failed") return stagingResult;
  const [found] = findInstalledPackages(stagingFolder);
  if (!found)
    return failure(`${packageSpec} is not an extension: its package.json has no "pith": { "extension": "./file.js" }`);
  return {
    type: "staged",
    name: found.name,
    entryFile: found.path,
    install: async () => {
      mkdirSync(join(targetFolder, TARBALLS_FOLDER), { recursive: true, mode: 0o700 });
      // npm needs the tarball again when another package is added.
      const storedTarball = join(targetFolder, TARBALLS_FOLDER, basename(path));
      if (isTarball) cpSync(stagedTarball, storedTarball);
      const installResult = await runNpm(
        "install",
        targetFolder,
        isTarball ? storedTarball : `${found.name}@${readInstalledVersion(found.name, stagingFolder)}`,
      );
      return installResult.type === "failed" ? installResult.message : null;
    },
  };
}

const TARBALLS_FOLDER = ".tarballs";

function readInstalledVersion(name: string, folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  return String(version);
}

function failure(message: string): Extract<SubcommandResult, { type: "failed" }> {
  return { type: "failed", message };
}

export async function runRemoveExtension({ arguments: [name = ""], home }: SubcommandCall): Promise<SubcommandResult> {
  const folder = extensionsFolder(home);
  const { found } = existsSync(folder) ? findUserExtensions(home) : { found: [] };
  const extension = found.find((candidate) => candidate.name === name);
  if (!extension) return usageError(`you have no extension named ${name}; list them with: pith extensions list`);
  if (extension.origin === "package") {
    const result = await runNpm("uninstall", folder, name);
    return result.type === "failed" ? result : { type: "success", text: `Uninstalled ${name}.`, data: { name } };
  }
  // Moved, not deleted: this may be the user's only copy.
  mkdirSync(join(folder, REMOVED_FOLDER), { recursive: true, mode: 0o700 });
  const path = join(folder, REMOVED_FOLDER, `${Date.now()}-${name}`);
  renameSync(join(folder, name), path);
  return { type: "success", text: `Removed ${name}. It was moved to ${path}`, data: { name, path } };
}

const REMOVED_FOLDER = ".removed";
