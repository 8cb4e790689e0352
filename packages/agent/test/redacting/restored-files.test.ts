/** Files whose names have a secret in them, as a session knows them. */

import { expect, test } from "vitest";
import { restoredFiles, type WorkspaceFiles } from "../../src/index.ts";
import { github, testVault } from "./vaults.ts";

test("SEC12 a file whose name has a secret is found by the name in the log, and none is made by a placeholder", async () => {
  const seen: string[] = [];
  const note = (path: string) => {
    seen.push(path);
    return Promise.resolve({ type: "written" } as const);
  };
  const files = { resolve: (path: string) => `/work/${path}`, write: note, remove: note } as unknown as WorkspaceFiles;
  const vault = testVault();
  const known = restoredFiles(files, vault);
  const path = vault.redacted(`a/${github}/b`);
  expect(known.resolve(path)).toBe(`/work/a/${github}/b`);
  await known.write(path, new Uint8Array());
  await known.remove(path);
  const unknown = await restoredFiles(files, testVault()).write(path, new Uint8Array());
  expect(unknown).toMatchObject({ type: "refused", message: expect.stringContaining("PITH_SECRET_") });
  expect(seen).toEqual([`a/${github}/b`, `a/${github}/b`]);
});
