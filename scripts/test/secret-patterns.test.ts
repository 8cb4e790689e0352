/** Tests the patterns that are generated from the rules of gitleaks: every kind with a prefix is found in every form. */

import { Vault } from "@pith/context/secrets";
import { describe, expect, test } from "vitest";
import {
  GENERATED_FILE,
  listPrefixedRules,
  readRules,
  sampleSecrets,
  selectRules,
} from "../generate-secret-patterns.ts";
import { convertRule, toPattern } from "../secret-patterns/convert-rules.ts";

const rules = readRules();
const kinds = listPrefixedRules(rules);

describe("kinds of secrets that gitleaks knows by a prefix", () => {
  test("SEC29 there are more than a hundred, and the generated file is up to date", async () => {
    expect(kinds.length).toBeGreaterThanOrEqual(110);
    const selected = selectRules(rules).map(({ id, name, prefixes, pattern }) => ({ id, name, prefixes, pattern }));
    expect(selected.length).toBeGreaterThanOrEqual(40);
    const { gitleaksPatterns } = (await import(GENERATED_FILE)) as { readonly gitleaksPatterns: readonly object[] };
    expect(gitleaksPatterns).toEqual(selected.map((each) => expect.objectContaining(each)));
  });

  const forms: readonly (readonly [string, (secret: string) => string])[] = [
    ["in a sentence", (secret) => `see ${secret} there`],
    ["at the end of a sentence", (secret) => `It is ${secret}.`],
    ["in JSON", (secret) => JSON.stringify({ line: `first\n${secret}\tlast` })],
    ["in JSON within JSON", (secret) => JSON.stringify(JSON.stringify({ key: secret }))],
    ["in a query", (secret) => `https://host.example/path?key=${encodeURIComponent(secret)}&page=2`],
    ["in a command", (secret) => `curl -H 'X-Key: ${secret}' https://host.example`],
    ["in code", (secret) => `client("${secret}",'${secret}')`],
  ];

  test.each(kinds.map((kind) => [kind.rule.id, kind] as const))("SEC29 %s is redacted in every form", (id, kind) => {
    for (const secret of sampleSecrets(kind, 20))
      for (const [form, write] of forms.filter(([form]) => !(form === "in a query" && NOT_IN_QUERIES.has(id)))) {
        const redacted = new Vault({ digest }).redact(write(secret));
        expect(redacted, `${form}: ${redacted}`).not.toContain(secret.slice(-8));
        expect(redacted, form).toContain("PITH_SECRET_");
      }
  });

  test.each(kinds.map((kind) => [kind.rule.id, kind] as const))("SEC29 %s is redacted however it is cut", (_, kind) => {
    const [secret = ""] = sampleSecrets(kind, 20);
    const text = `before ${secret} after it are some more words, and a second line\n${secret}\n`;
    const whole = new Vault({ digest }).redact(text);
    for (let cut = 0; cut < text.length; cut += 3) {
      const stream = new Vault({ digest }).stream();
      expect(stream.write(text.slice(0, cut)) + stream.write(text.slice(cut)) + stream.end()).toBe(whole);
    }
    expect(whole).not.toContain(secret.slice(-8));
  });

  const digest = (): string => "0".repeat(12);

  /** A cookie is sent as it is, and Twitter's tokens are encoded already. */
  const NOT_IN_QUERIES: ReadonlySet<string> = new Set(["gitlab-session-cookie", "twitter-bearer-token"]);
});

describe("conversion of a rule", () => {
  test.each([
    ["\\b(abc_(?i)[a-z0-9]{32})(?:[\\x60'\"\\s;]|\\\\[nr]|$)", "abc_[0-9A-Za-z]{32,}"],
    ["(?i)[\\w.-]{0,50}?(?:name)[\\s'\"]{0,3}(?:=|:)(KEY-[a-f0-9]{20})(?:[;]|$)", "KEY-[0-9A-Fa-f]{20}(?![A-Za-z0-9])"],
    ["abc(?-i:X|y)~[[:alnum:]_]{9}\\z", "abc(?:X|y)~\\w{9,}"],
    ["abc-(?:[0-9]+|local)\\.[A-Z+/]+={0,2}", "abc-(?:[0-9]{1,}|local)\\.[+/A-Z]{1,601}={0,2}(?![A-Za-z0-9])"],
  ])("SEC29 %s is converted to %s", (regex, pattern) => {
    expect(toPattern(convertRule({ id: "a", regex }))).toBe(pattern);
  });

  test("SEC29 a rule that finds secrets by a name nearby or by their shape alone gets no prefix", () => {
    expect(convertRule({ id: "a", regex: "(?i)name[ =]{1,4}([a-f0-9]{40})" }).prefixes).toEqual([]);
    expect(convertRule({ id: "a", regex: "https://[a-z]+\\.host/[a-z]{30}" }).prefixes).toEqual([]);
  });
});
