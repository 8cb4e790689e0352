/** The doors without a provider really are: what loads with each of them, seen by Node itself. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test.each(["convert", "overflow"])("MOD12 the entry point %s loads no provider package", (door) => {
  expect(loadedBy(`../src/${door}/index.ts`).filter((name) => name.startsWith("@ai-sdk/"))).toEqual([]);
});

test("MOD12 the main entry point loads no provider package until a model is opened", () => {
  expect(loadedBy("../src/index.ts").filter((name) => name.startsWith("@ai-sdk/"))).toEqual([]);
});

function loadedBy(door: string): readonly string[] {
  const program = `
    import { registerHooks } from "node:module";
    const names = [];
    registerHooks({ resolve: (name, context, next) => (names.push(name), next(name, context)) });
    await import(${JSON.stringify(new URL(door, import.meta.url).href)});
    console.log(JSON.stringify(names));
  `;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }));
}
