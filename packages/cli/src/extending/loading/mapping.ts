/** How Node loads what extensions import: `@pith/*` is the program that runs, and of a project only what was trusted is there. */

import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { doorNames, doorSource, openDoors } from "./doors.ts";

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;
type Load = NonNullable<Parameters<typeof registerHooks>[0]["load"]>;

export interface Mapping {
  /** From now on these bytes are what lies there, and nothing else of the project is run. */
  hold(files: ReadonlyMap<string, Uint8Array>, stamp: string): void;
}

/** Once for the whole program. */
export function mapping(): Promise<Mapping> {
  made ??= make();
  return made;
}

let made: Promise<Mapping> | null = null;

async function make(): Promise<Mapping> {
  const doors = await openDoors();
  Object.defineProperty(globalThis, Symbol.for(DOORS), { value: doors });
  /** By stamp, as every address of theirs ends with it. */
  const held = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const resolve: Resolve = (specifier, context, next) => {
    if (specifier.startsWith("@pith/") && !isOurs(context.parentURL))
      return { url: doorAddress(specifier), shortCircuit: true };
    const stamp = stampIn(specifier) ?? stampIn(context.parentURL ?? "");
    if (stamp === null) return next(specifier, context);
    const files = held.get(stamp);
    const isHeld = files !== undefined && !specifier.startsWith("node:");
    const url = isHeld ? heldAddress(specifier, context.parentURL, files) : next(specifier, context).url;
    if (!isBeside(url)) return { url, shortCircuit: true };
    // Said, so that Node need not guess: what an extension loads from beside itself are modules.
    return { url: stamped(url, stamp), format: formatOf(url), shortCircuit: true };
  };
  const load: Load = (url, context, next) => {
    const door = doors.get(url.slice(SCHEME.length));
    if (url.startsWith(SCHEME) && door)
      return { format: "module", source: doorSource(url.slice(SCHEME.length), door, DOORS), shortCircuit: true };
    const bytes = url.startsWith("file:") ? held.get(stampIn(url) ?? "")?.get(fileURLToPath(url)) : undefined;
    return bytes ? { format: formatOf(url), source: bytes, shortCircuit: true } : next(url, context);
  };
  registerHooks({ resolve, load });
  // The standard output is for answers, and for lines that programs read.
  for (const name of ["log", "info", "debug"] as const) console[name] = console.error;
  return { hold: (files, stamp) => void held.set(stamp, files) };
}

const DOORS = "pith.doors";
const SCHEME = "pith:";

function doorAddress(specifier: string): string {
  if (doorNames.includes(specifier)) return `${SCHEME}${specifier}`;
  throw new Error(`there is no ${specifier} for extensions; there are ${doorNames.join(", ")}`);
}

/** What somebody trusted is all there is: whatever else lies in the project nobody has looked at. */
function heldAddress(specifier: string, parent: string | undefined, files: ReadonlyMap<string, Uint8Array>): string {
  if (!/^(\.{0,2}\/|file:)/.test(specifier))
    throw new Error(`${specifier} cannot be imported by an extension of a project; ${OWN}`);
  const url = new URL(specifier, parent);
  const path = fileURLToPath(url);
  if (!files.has(path)) throw new Error(`${path} was not trusted, so it is not run; ${OWN}`);
  return url.href;
}

const OWN = "it has node:…, @pith/… and the files beside it in .pith/extensions";

/** Our own sources find each other as always. */
function isOurs(parent = ""): boolean {
  return import.meta.url.endsWith(SOURCE) && parent.startsWith(import.meta.url.slice(0, -SOURCE.length));
}

const SOURCE = "cli/src/extending/loading/mapping.ts";

/** Of an extension itself, and not of a package or of Node. */
function isBeside(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && /\.(ts|mts|js|mjs)$/.test(new URL(url).pathname);
}

/** What an extension imports from beside itself is as new as it is; packages stay as they are. */
function stamped(url: string, stamp: string): string {
  const address = new URL(url);
  address.searchParams.set(STAMP, stamp);
  return address.href;
}

const STAMP = "pith";

function stampIn(url: string): string | null {
  return /[?&]pith=([0-9a-f]+)/.exec(url)?.[1] ?? null;
}

function formatOf(url: string): "module" | "module-typescript" {
  return new URL(url).pathname.endsWith("ts") ? "module-typescript" : "module";
}
