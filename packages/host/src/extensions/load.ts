/** Imports extensions and maps their `@pith/*` imports to this program. A failure of one does not affect the others. */

import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExtensionApi, ExtensionModule } from "@pith/agent";
import { formatExtensionError, type ReportFailure, watchExtensions } from "./errors.ts";
import type { FoundExtension } from "./extension-files.ts";

/** The packages that an extension can import. The specifiers are literals, so that the build finds them. */
const pithModules: Readonly<Record<string, () => Promise<object>>> = {
  "@pith/context": () => import("@pith/context"),
  "@pith/context/host": () => import("@pith/context/host"),
  "@pith/context/node": () => import("@pith/context/node"),
  "@pith/context/search": () => import("@pith/context/search"),
  "@pith/context/secrets": () => import("@pith/context/secrets"),
  "@pith/context/store": () => import("@pith/context/store"),
  "@pith/agent": () => import("@pith/agent"),
  "@pith/agent/node": () => import("@pith/agent/node"),
  "@pith/models": () => import("@pith/models"),
  "@pith/models/convert": () => import("@pith/models/convert"),
  "@pith/models/overflow": () => import("@pith/models/overflow"),
};

const pithModuleNames: readonly string[] = Object.keys(pithModules);

/** Loads all packages by name. An import of an extension cannot wait, so they are loaded before the extension. */
async function loadPithModules(): Promise<ReadonlyMap<string, object>> {
  return new Map(
    await Promise.all(Object.entries(pithModules).map(async ([name, load]) => [name, await load()] as const)),
  );
}

/** Generates a module that re-exports a package from the global registry named `registryName`. */
function createModuleSource(name: string, exports: object, registryName: string): string {
  const names = Object.keys(exports).filter((exportName) => exportName !== "default");
  const lookupLine = `const pithModule = globalThis[Symbol.for(${JSON.stringify(registryName)})].get(${JSON.stringify(name)});`;
  return [lookupLine, ...names.map((exportName) => `export const ${exportName} = pithModule.${exportName};`)].join(
    "\n",
  );
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;
type Load = NonNullable<Parameters<typeof registerHooks>[0]["load"]>;

export interface ModuleHooks {
  /** Registers the trusted files of a project. Their imports use these bytes; other files of the project cannot be imported. */
  addTrustedFiles(files: ReadonlyMap<string, Uint8Array>, stamp: string): void;
}

/** Installs the hooks once per process. */
function getModuleHooks(): Promise<ModuleHooks> {
  hooksPromise ??= installModuleHooks();
  return hooksPromise;
}

let hooksPromise: Promise<ModuleHooks> | null = null;

async function installModuleHooks(): Promise<ModuleHooks> {
  const modules = await loadPithModules();
  Object.defineProperty(globalThis, Symbol.for(MODULE_REGISTRY), { value: modules });
  /** By stamp, which is part of the URL of each of their modules. */
  const trustedFiles = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const resolve: Resolve = (specifier, context, next) => {
    if (specifier.startsWith("@pith/") && !isPithSource(context.parentURL))
      return { url: createModuleUrl(specifier), shortCircuit: true };
    const stamp = parseStamp(specifier) ?? parseStamp(context.parentURL ?? "");
    if (stamp === null) return next(specifier, context);
    const files = trustedFiles.get(stamp);
    const isTrusted = files !== undefined && !specifier.startsWith("node:");
    const url = isTrusted ? resolveTrustedUrl(specifier, context.parentURL, files) : next(specifier, context).url;
    if (!isExtensionSource(url)) return { url, shortCircuit: true };
    // An explicit format: Node would otherwise guess it, and files of an extension are always ES modules.
    return { url: addStamp(url, stamp), format: getModuleFormat(url), shortCircuit: true };
  };
  const load: Load = (url, context, next) => {
    const moduleExports = modules.get(url.slice(PITH_SCHEME.length));
    if (url.startsWith(PITH_SCHEME) && moduleExports)
      return {
        format: "module",
        source: createModuleSource(url.slice(PITH_SCHEME.length), moduleExports, MODULE_REGISTRY),
        shortCircuit: true,
      };
    const bytes = url.startsWith("file:")
      ? trustedFiles.get(parseStamp(url) ?? "")?.get(fileURLToPath(url))
      : undefined;
    return bytes ? { format: getModuleFormat(url), source: bytes, shortCircuit: true } : next(url, context);
  };
  registerHooks({ resolve, load });
  // stdout is reserved for answers and for JSON lines that programs read.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  return { addTrustedFiles: (files, stamp) => void trustedFiles.set(stamp, files) };
}

const MODULE_REGISTRY = "pith.modules";
const PITH_SCHEME = "pith:";

function createModuleUrl(specifier: string): string {
  if (pithModuleNames.includes(specifier)) return `${PITH_SCHEME}${specifier}`;
  throw new Error(`extensions cannot import ${specifier}; available: ${pithModuleNames.join(", ")}`);
}

/** Resolves an import of a project's extension. Throws unless it is one of the trusted files, because the user has not reviewed other files. */
function resolveTrustedUrl(
  specifier: string,
  parent: string | undefined,
  files: ReadonlyMap<string, Uint8Array>,
): string {
  if (!/^(\.{0,2}\/|file:)/.test(specifier))
    throw new Error(`a project extension cannot import ${specifier}; ${IMPORT_HINT}`);
  const url = new URL(specifier, parent);
  const path = fileURLToPath(url);
  if (!files.has(path)) throw new Error(`${path} is not trusted, so it was not loaded; ${IMPORT_HINT}`);
  return url.href;
}

const IMPORT_HINT = "it can import node:…, @pith/… and the files in .pith/extensions";

/** Whether the importing module is Pith's own source, whose imports are resolved as usual. */
function isPithSource(parent = ""): boolean {
  return (
    import.meta.url.endsWith(OWN_SOURCE_PATH) && parent.startsWith(import.meta.url.slice(0, -OWN_SOURCE_PATH.length))
  );
}

const OWN_SOURCE_PATH = "host/src/extensions/load.ts";

/** Whether the URL is a file of an extension itself, not of a package or of Node. */
function isExtensionSource(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && /\.(ts|mts|js|mjs)$/.test(new URL(url).pathname);
}

/** Adds the stamp to a URL, so that a changed extension also loads its own files again. Packages have no stamp. */
function addStamp(url: string, stamp: string): string {
  const address = new URL(url);
  address.searchParams.set(STAMP_PARAMETER, stamp);
  return address.href;
}

const STAMP_PARAMETER = "pith";

function parseStamp(url: string): string | null {
  return /[?&]pith=([0-9a-f]+)/.exec(url)?.[1] ?? null;
}

function getModuleFormat(url: string): "module" | "module-typescript" {
  return new URL(url).pathname.endsWith("ts") ? "module-typescript" : "module";
}

/** Each module imports its extension when it runs, so that a failure is limited to it. `report` receives errors thrown outside of any call. */
export function createExtensionModules(
  found: readonly FoundExtension[],
  report: ReportFailure,
): readonly ExtensionModule[] {
  watchExtensions(found, report);
  return found.map((extension) => ({ name: extension.name, extension: (pith) => runExtension(extension, pith) }));
}

async function runExtension(found: FoundExtension, pith: ExtensionApi): Promise<void> {
  try {
    const extension = await importExtension(found);
    await extension(pith);
  } catch (error) {
    throw new Error(formatExtensionError(error, found.path), { cause: error });
  }
}

type ExtensionFunction = (pith: ExtensionApi) => unknown;

async function importExtension({ path, stamp, trustedBytes }: FoundExtension): Promise<ExtensionFunction> {
  const { addTrustedFiles } = await getModuleHooks();
  if (trustedBytes) addTrustedFiles(trustedBytes, stamp);
  const url = `${pathToFileURL(path).href}?pith=${stamp}`;
  const { default: extension } = (await import(url)) as { readonly default?: unknown };
  if (typeof extension !== "function") throw new Error(NO_EXPORT_TEXT);
  return extension as ExtensionFunction;
}

const NO_EXPORT_TEXT = "it has no default export that is a function; add: export default (pith) => { … }";
