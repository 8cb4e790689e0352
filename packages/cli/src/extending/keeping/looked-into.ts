/** The other side of looking into a strange extension: it is run here, and what it registered is told. */

import type { FoundExtension } from "../finding/found-extension.ts";
import { type Capabilities, NONE } from "./capabilities.ts";

export async function lookedInto(path: string): Promise<Capabilities> {
  const [{ assembled }, { loaded }] = await Promise.all([
    import("../extensions-here.ts"),
    import("../loading/load-extension.ts"),
  ]);
  const found: FoundExtension = { name: path, from: "user", path, stamp: "0" };
  const report = (): void => {};
  const { list, notes } = await assembled(loaded([found], report), { cwd: process.cwd(), report });
  return { ...NONE, name: path, ...list[0], notes };
}
