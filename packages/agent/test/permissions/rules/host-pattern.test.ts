/** Hosts held against rules. */

import { describe, expect, test } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { act, fetched, ground, rules, sight } from "../ground.ts";

const underAllow = (rule: string, url: string): string =>
  decide(sight(act(fetched(url))), { mode: "ask", rules: rules({ allow: [rule] }), ground }).type;

describe("PERM9 a host in a rule is that host, however a URL spells it", () => {
  test.each([
    ["fetch(example.com)", "https://example.com/x?y#z"],
    ["fetch(example.com)", "http://EXAMPLE.com:8080/"],
    ["fetch(example.com)", "https://example.com./"],
    ["fetch(Example.COM)", "https://user:word@example.com/"],
    ["fetch(*.example.com)", "https://a.b.example.com/"],
    ["fetch(127.0.0.1)", "http://2130706433/"],
    ["fetch(bücher.example)", "https://xn--bcher-kva.example/"],
    ["fetch([::1])", "http://[0:0::1]/"],
    ["fetch", "https://anything.example/"],
  ])("%s allows %s", (rule, url) => {
    expect(underAllow(rule, url)).toBe("allowed");
  });

  test.each([
    ["fetch(example.com)", "https://www.example.com/"],
    ["fetch(example.com)", "https://example.com.evil.example/"],
    ["fetch(example.com)", "https://example.com@evil.example/"],
    ["fetch(example.com)", "https://evil.example/example.com"],
    ["fetch(example.com)", "https://evil.example\\@example.com/"],
    ["fetch(*.example.com)", "https://example.com/"],
    ["fetch(*.example.com)", "https://notexample.com/"],
    ["fetch(example.com)", "file://example.com/etc/passwd"],
    ["fetch(example.com)", "example.com"],
    ["fetch(example.com)", ""],
  ])("%s does not allow %s", (rule, url) => {
    expect(underAllow(rule, url)).toBe("asked");
  });

  test("a deny counts for it in every mode, and what is no URL leaves a doubt", () => {
    const held = { mode: "all" as const, rules: rules({ deny: ["fetch(*.example.com)"] }), ground };
    const urls = ["https://A.example.com/", "https://other.example/", "nonsense"];
    expect(urls.map((url) => decide(sight(act(fetched(url))), held).type)).toEqual(["refused", "allowed", "asked"]);
  });
});
