/** Tests permissions with paths as Windows spells them: rules and lists of names are written with slashes. */

import { describe, expect, test } from "vitest";
import { Permissions } from "../../src/permissions/permissions.ts";
import { act, change, look, rules } from "../support/permission-requests.ts";

const permissionPaths = {
  root: "C:\\work",
  home: "C:\\Users\\ann",
  temporaryFolders: ["C:\\Temp"],
  privatePaths: ["C:\\Users\\ann\\.pith\\keys.json"],
  permissionFiles: ["C:\\Users\\ann\\.pith"],
};

function permissions(deny: readonly string[] = []): Permissions {
  return new Permissions({
    mode: "edit",
    rules: rules({ deny }),
    paths: permissionPaths,
    resolveRealPath: async (path) => path,
  });
}

const asking = { signal: new AbortController().signal };

describe("paths of Windows", () => {
  test.each([
    [look("C:\\work\\src\\a.ts"), "permitted"],
    [change("C:\\work\\src\\a.ts"), "permitted"],
    [change("C:\\Temp\\a.ts"), "permitted"],
    [change("C:\\elsewhere\\a.ts"), "refused"],
    [change("C:\\work\\.git\\hooks\\pre-commit"), "refused"],
    [look("C:\\Users\\ann\\.ssh\\id_ed25519"), "refused"],
    [look("C:\\Users\\ann\\.pith\\keys.json"), "refused"],
    [change("C:\\Users\\ann\\.pith\\settings.json"), "refused"],
  ])("PLAT15 %j is %s", async (intent, outcome) => {
    expect((await permissions().permit(act(intent), asking)).type).toBe(outcome);
  });

  test("PLAT15 a deny rule on a path applies to it with backslashes too", async () => {
    const denying = permissions(["edit(src/private/**)", "read(~/notes/**)"]);
    expect((await denying.permit(act(change("C:\\work\\src\\private\\a.ts")), asking)).type).toBe("refused");
    expect((await denying.permit(act(look("C:\\Users\\ann\\notes\\a.txt")), asking)).type).toBe("refused");
    expect((await denying.permit(act(change("C:\\work\\src\\open.ts")), asking)).type).toBe("permitted");
  });

  test("PLAT15 a granted path is in the system's own spelling", async () => {
    const path = "C:\\work\\src\\a.ts";
    const permit = await permissions().permit(act(look(path)), asking);
    if (permit.type !== "permitted") throw new Error(permit.why);
    expect([...(permit.grant?.realPaths ?? [])]).toEqual([[path, path]]);
    expect(permit.grant?.isExcluded("C:\\work\\.ssh\\id")).toBe(true);
    expect(permit.grant?.isExcluded("C:\\work\\src\\b.ts")).toBe(false);
  });
});
