/** From a file to an extension: it is loaded when it is asked to register something, so that one that hangs or throws there harms nobody. */

import { pathToFileURL } from "node:url";
import type { ExtensionApi, NamedExtension } from "@pith/agent";
import type { FoundExtension } from "../finding/found-extension.ts";
import { faultTold } from "./fault-told.ts";
import { mapping } from "./mapping.ts";
import { heed, type Report } from "./stray-faults.ts";

/** `report` is told what they throw outside of any call. */
export function loaded(found: readonly FoundExtension[], report: Report): readonly NamedExtension[] {
  heed(found, report);
  return found.map((each) => ({ name: each.name, extension: (pith) => begun(each, pith) }));
}

async function begun(found: FoundExtension, pith: ExtensionApi): Promise<void> {
  try {
    const extension = await exportedBy(found);
    await extension(pith);
  } catch (error) {
    throw new Error(faultTold(error, found.path), { cause: error });
  }
}

type Exported = (pith: ExtensionApi) => unknown;

async function exportedBy({ path, stamp, held }: FoundExtension): Promise<Exported> {
  const { hold } = await mapping();
  if (held) hold(held, stamp);
  const url = `${pathToFileURL(path).href}?pith=${stamp}`;
  const { default: extension } = (await import(url)) as { readonly default?: unknown };
  if (typeof extension !== "function") throw new Error(WRITE);
  return extension as Exported;
}

const WRITE = "it exports no function; write: export default (pith) => { … }";
