/** Paths and globs held against rules. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { fitsGlob } from "../../../src/permissions/rules/path-pattern.ts";
import { sightOf } from "../../../src/permissions/sight.ts";
import { act, change, ground, look, realPath, rules, sight } from "../ground.ts";

const { root, home } = ground;
const isAllowed = (rule: string, path: string): boolean =>
  decide(sight(act(change(path))), { mode: "ask", rules: rules({ allow: [rule] }), ground }).type === "allowed";

describe("PERM8 a path in a rule means one place, however it is written", () => {
  test.each([
    ["edit(src/**)", `${root}/src/a/b.ts`],
    ["edit(src/**)", `${root}/src`],
    ["edit(src)", `${root}/src/a/b.ts`],
    ["edit(./src/)", `${root}/src/a`],
    ["edit(src/*.ts)", `${root}/src/a.ts`],
    ["edit(**/*.md)", `${root}/README.md`],
    ["edit(**/*.md)", `${root}/docs/a/b.md`],
    ["edit(src/**/test/?.ts)", `${root}/src/x/y/test/a.ts`],
    ["edit(app/[id]/page.ts)", `${root}/app/[id]/page.ts`],
    ["edit(~/notes)", `${home}/notes/x`],
    ["edit(/etc/hosts)", "/etc/hosts"],
    ["write(src)", `${root}/src/a`],
  ])("%s allows %s", (rule, path) => {
    expect(isAllowed(rule, path)).toBe(true);
  });

  test.each([
    ["edit(src/**)", `${root}/srcx/a`],
    ["edit(src/**)", `${root}/lib/src/a`],
    ["edit(src/*)", `${root}/src/a/b`],
    ["edit(src/*.ts)", `${root}/src/a.tsx`],
    ["edit(src)", `${root}/SRC/a`],
    ["edit(**)", `${home}/x`],
    ["edit(/etc/host)", "/etc/hosts"],
    ["edit(~/notes)", "/notes/x"],
    ["read(src)", `${root}/src/a`],
    ["grep(src)", `${root}/src/a`],
  ])("%s does not allow %s", (rule, path) => {
    expect(isAllowed(rule, path)).toBe(false);
  });

  test("an allow counts for where a link leads, a deny for that and for the link", async () => {
    const through = await sightOf(act(change(`${root}/out/x`)), realPath);
    const held = (some: Parameters<typeof rules>[0]) =>
      decide(through, { mode: "ask", rules: rules(some), ground }).type;
    expect(held({ allow: ["edit(out)"] })).toBe("asked");
    expect(held({ allow: ["edit(~/elsewhere)"] })).toBe("allowed");
    expect(held({ deny: ["edit(out)"] })).toBe("refused");
    expect(held({ deny: ["edit(~/elsewhere)"] })).toBe("refused");
  });

  test("read stands for whatever looks, edit and write for whatever changes", () => {
    const grep = sight(act(look(`${root}/secret`), { tool: "grep" }));
    const write = sight(act(change(`${root}/secret`), { tool: "write" }));
    const held = (deny: string) => ({ mode: "all" as const, rules: rules({ deny: [deny] }), ground });
    expect(decide(grep, held("read(secret)")).type).toBe("refused");
    expect(decide(grep, held("edit(secret)")).type).toBe("allowed");
    expect(decide(write, held("edit(secret)")).type).toBe("refused");
    expect(decide(write, held("read(secret)")).type).toBe("allowed");
  });

  test("a rule on what a tool does not say leaves a doubt", () => {
    const own = sight(act(null));
    expect(decide(own, { mode: "all", rules: rules({ deny: ["own(x)"] }), ground }).type).toBe("asked");
  });

  test("globs fit as regular expressions do, and never take long", () => {
    const glob = fc.array(fc.constantFrom("a", "b", "*", "?", "ab", "**"), { maxLength: 6 });
    const names = fc.array(fc.constantFrom("a", "b", "ab", "ba", "aab"), { maxLength: 6 });
    fc.assert(
      fc.property(glob, names, (some, path) => {
        const written = path.map((name) => `${name}/`).join("");
        expect(fitsGlob(some, path)).toBe(asRegExp(some).test(written));
      }),
      { numRuns: 1_000 },
    );
    expect(fitsGlob(["*a".repeat(200)], ["a".repeat(4_000).concat("b")])).toBe(false);
  });
});

function asRegExp(glob: readonly string[]): RegExp {
  const parts = glob.map((name) =>
    name === "**" ? "(?:[^/]+/)*" : `${name.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`,
  );
  return new RegExp(`^${parts.join("")}$`);
}
