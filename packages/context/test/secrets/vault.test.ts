/** Tests secrets/vault.ts: known values, vault. */

import { execFileSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Vault } from "@pith/context/secrets";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretPatterns } from "../../src/secrets/patterns.ts";
import { expectLinearTime } from "../support/expect-speed.ts";
import { createSampleSecrets } from "../support/sample-secrets.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

describe("known values", () => {
  const digest = (value: string): string => createHmac("sha256", "a key for tests").update(value).digest("hex");

  test("SEC5 two overlapping values are both redacted completely, and both are restored", () => {
    const [one, other, within] = ["tQ7-plank-91x-oak", "x-oak-Zz81-river-4", "plank-91x-oak"];
    const own = new Vault({ digest, environment: { ONE_TOKEN: one, OTHER_TOKEN: other, THIRD_TOKEN: within } });
    const text = `${one}-Zz81-river-4 and ${one} and ${within}`;
    const redacted = own.redact(text);
    for (const piece of ["plank", "river", "oak"]) expect(redacted).not.toContain(piece);
    expect(own.redact(redacted)).toBe(redacted);
    expect(own.restore(redacted)).toEqual({ type: "restored", value: text });
  });

  test("SEC8 thousands of values with the same start are found as fast as a few", () => {
    const prepare = (count: number): (() => string) => {
      const own = new Vault({ digest });
      const chance = createSeededRandom(count);
      own.learn(Array.from({ length: count }, () => `x ${createSampleSecrets(1, chance)[0]?.text}\n`).join(""));
      const text = " ghp_ghp_ghp".repeat(20_000);
      return () => own.redact(text);
    };
    expectLinearTime(prepare(40), prepare(4_000));
  });
});

describe("vault", () => {
  const digest = (value: string): string => createHmac("sha256", "a key for tests").update(value).digest("hex");
  const vault = (parts: Partial<ConstructorParameters<typeof Vault>[0]> = {}): Vault => new Vault({ digest, ...parts });
  const root = join(import.meta.dirname, "../../../..");

  test("SEC1 there are at least 45 patterns, each with its own name", () => {
    expect(secretPatterns.length).toBeGreaterThanOrEqual(45);
    expect(new Set(secretPatterns.map(({ id }) => id)).size).toBe(secretPatterns.length);
    expect(
      secretPatterns.every(
        ({ id, prefixes: needles }) =>
          /^[a-z0-9]{1,24}$/.test(id) && needles.every((each) => /^\S{3,} ?$|^\S{2,} $|-----/.test(each)),
      ),
    ).toBe(true);
  });

  test.each(createSampleSecrets(secretPatterns.length + 1, createSeededRandom(7)))(
    "SEC1 a secret of the family $patternId is found wherever it stands",
    ({ text, secret }) => {
      for (const around of [
        text,
        `see ${text} there`,
        JSON.stringify({ line: `\n${text}\t` }),
        `(${text})`,
        `https://example.com/?next=a%3D${text}`,
        `\x1b[32m${text}\x1b[0m`,
        `\x1b[38;2;255;100;100m${text}\x1b[0m`,
        JSON.stringify(`\x1b[38;5;208m${text}\x1b[0m`),
      ]) {
        const redacted = vault().redact(around);
        expect(redacted).not.toContain(secret);
        expect(vault().redact(redacted)).toBe(redacted);
      }
    },
  );

  test.each([
    "[1;38;2;255;255;255;48;2;100;100;100m",
    "[1;38;2;255;100;100m",
    "[38:5:208m",
    "[38:2::255:100:100m",
    "[?25l",
    "[2 q",
    "(B",
    "M",
  ])(
    "SEC1 SEC10 a secret right after the terminal code %s is found, also if the code is written as an escape",
    (code) => {
      const [{ text } = { text: "" }] = createSampleSecrets(1, createSeededRandom(3));
      for (const start of ["\x1b", "\\x1b", "\\u001b", "\\u001B", "\\033", "\\e"]) {
        const line = `done ${start}${code}${text} and more`;
        const redacted = vault().redact(line);
        expect(redacted).toMatch(/^done \S+( q)?PITH_SECRET_\S+ and more$/);
        const stream = vault().stream();
        const written = [...line].map((char) => stream.write(char)).join("");
        expect(`${written}${stream.end()}`).toBe(redacted);
      }
    },
  );

  test("SEC10 a long line is not cut inside a terminal code", () => {
    const [{ text } = { text: "" }] = createSampleSecrets(1, createSeededRandom(3));
    for (let length = 65_520; length < 65_560; length += 1) {
      const stream = vault().stream();
      const line = `${"x".repeat(length)}\x1b[38;5;208m${text}|${"z".repeat(5_000)}`;
      expect(`${stream.write(line)}${stream.end()}`).not.toContain(text);
    }
  });

  test("SEC8 many unfinished terminal codes take linear time", () => {
    const prepare = (count: number): (() => string) => {
      const unfinished = `${"\x1b[1;1;1 ".repeat(10)}${"1;".repeat(200)}ghp_`.repeat(count);
      return () => vault().redact(unfinished);
    };
    expectLinearTime(prepare(100), prepare(1_000));
  });

  test("SEC1 five hundred secrets are all redacted and restored, and nothing else changes", () => {
    const own = vault();
    const planted = createSampleSecrets(500, createSeededRandom(11));
    const text = planted.map(({ text: each }, at) => `line ${at}: ${each} and more`).join("\n");
    const redacted = own.redact(text);
    expect(planted.filter(({ secret }) => redacted.includes(secret))).toEqual([]);
    expect(own.redact(redacted)).toBe(redacted);
    expect(own.restore(redacted)).toEqual({ type: "restored", value: text });
  });

  test.each([
    "secret_key = VALUE",
    "password = VALUE",
    '"clientSecret": "VALUE"',
    "curl -u robot:VALUE https://host",
    "machine host login me password VALUE",
    "deploy --token VALUE",
    "<password>VALUE</password>",
    'headers.set("x-api-key", "VALUE")',
    'const apiKey: string = "VALUE";',
    "api_key: 'VALUE'",
    'process.env["API_TOKEN"] = "VALUE"',
    'x = {\\"accessToken\\": \\"VALUE\\"}',
  ])("SEC1 a random value is a secret if it is assigned to a name: %s", (line) => {
    const [{ secret } = { secret: "" }] = createSampleSecrets(secretPatterns.length, createSeededRandom(12)).slice(-1);
    expect(vault().redact(line.replace("VALUE", secret))).not.toContain(secret);
    const name = "the-name-of-a-thing-in-config";
    expect(vault().redact(line.replace("VALUE", name))).toBe(line.replace("VALUE", name));
  });

  test("SEC1 32 hexadecimal digits assigned to a name are a secret, 31 digits and repeated digits are not", () => {
    const digits = createHash("sha256").update("seed").digest("hex");
    const isRedacted = (value: string): boolean => vault().redact(`api_key = ${value}`) !== `api_key = ${value}`;
    expect(isRedacted(digits.slice(0, 32))).toBe(true);
    expect(isRedacted(digits.slice(0, 32).toUpperCase())).toBe(true);
    expect(isRedacted(digits.slice(0, 31))).toBe(false);
    expect(isRedacted("ab".repeat(16))).toBe(false);
  });

  test("SEC2 nothing is found in this repository, its lock file and its dependencies' code", () => {
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    }).split("\0");
    const files = [...listed.filter(Boolean).map((path) => join(root, path)), ...minified()];
    const changed = files
      .filter((path) => existsSync(path))
      .filter((path) => {
        const text = readFileSync(path, "utf8");
        return vault().redact(text) !== text;
      });
    expect(changed).toEqual([]);
  });

  /** The built program where it was built, and what others have made small. */
  function minified(): readonly string[] {
    const built = join(root, "packages/cli/dist/program");
    const own = existsSync(built)
      ? readdirSync(built, { recursive: true, encoding: "utf8" }).map((name) => join(built, name))
      : [];
    const others = ["node_modules/typescript/lib/_tsc.js", "node_modules/fast-check/lib/fast-check.js"].map((path) =>
      join(root, path),
    );
    return [...own, ...others].filter((path) => /\.[cm]?js$/.test(path));
  }

  test("SEC2 hashes, ids and lock files of every kind stay unchanged", () => {
    const text = lockFiles(createSeededRandom(3));
    expect(vault().redact(text)).toBe(text);
  });

  function lockFiles(chance: () => number): string {
    const made = (letters: string, count: number): string =>
      Array.from({ length: count }, () => letters[Math.floor(chance() * letters.length)]).join("");
    const hexadecimal = (count: number): string => made("0123456789abcdef", count);
    const base64 = (count: number): string =>
      made("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", count);
    const uuid = (): string => [8, 4, 4, 4, 12].map(hexadecimal).join("-");
    return Array.from({ length: 400 }, (_, at) =>
      [
        `"node_modules/js-tokens-${at}": { "version": "4.${at}.0", "resolved": "https://host/js-tokens/-/js-tokens-4.0.0.tgz", "integrity": "sha512-${base64(86)}==" }`,
        `js-tokens@^4.${at}.0:\n  resolved "https://host/js-tokens-4.0.0.tgz#${hexadecimal(40)}"\n  integrity sha1-${base64(27)}=`,
        `name = "secret-service"\nchecksum = "${hexadecimal(64)}"`,
        `golang.org/x/oauth2 v0.${at}.0 h1:${base64(43)}=`,
        `${hexadecimal(40)} Merge branch token-${at}`,
        `id: ${uuid()} session_token_id: ${uuid()} sha256:${hexadecimal(64)}`,
        `tokenCount=${at} maxTokens: ${at} password: process.env.DB_PASSWORD, apiKey: config.apiKey`,
        `const secretName = "my-application-secret-name-2"; token = await getAccessTokenFor(user42)`,
        `http://user:password@localhost:5432 https://\${USER}:\${PASSWORD}@host postgres://postgres:postgres@db/app`,
      ].join("\n"),
    ).join("\n");
  }

  test("SEC3 a value without a secret is returned as the same object, and scanned once", () => {
    const own = vault();
    const value = { content: [{ type: "text", text: "plain" }], list: [1, null, "two"] };
    expect(own.redact(value)).toBe(value);
    const [planted] = createSampleSecrets(1, createSeededRandom(1));
    const mixed = { kept: value, text: `${planted?.text}` };
    const redacted = own.redact(mixed);
    expect(redacted.kept).toBe(value);
    expect(redacted.text).toMatch(/^PITH_SECRET_github_[0-9a-f]{12}$/);
    expect(own.redact(redacted)).toBe(redacted);
  });

  test("SEC3 signatures, encrypted reasoning and images are skipped; signed reasoning with a secret is removed", () => {
    const secret = String(createSampleSecrets(1, createSeededRandom(2))[0]?.text);
    const kept = [
      { type: "thinking", thinking: "", thinkingSignature: secret, redacted: true },
      { type: "image", data: secret, mimeType: "image/png" },
      { type: "text", text: "words", textSignature: secret },
    ];
    const unsigned = { type: "thinking", thinking: `hm ${secret}` };
    const signed = { type: "thinking", thinking: `hm ${secret}`, thinkingSignature: "abc" };
    const own = vault();
    const redacted = own.redact([...kept, unsigned, signed]);
    expect(redacted).toEqual([...kept, { type: "thinking", thinking: `hm ${own.redact(secret)}` }]);
  });

  test("SEC4 a secret has the same placeholder in every process with the same key, and another one with another key", () => {
    const secret = String(createSampleSecrets(1, createSeededRandom(5))[0]?.text);
    expect(vault().redact(secret)).toBe(vault().redact(secret));
    expect(vault({ digest: (value) => digest(`${value}!`) }).redact(secret)).not.toBe(vault().redact(secret));
  });

  test("SEC5 values of secret-looking variables are found alone, in JSON and in URLs; paths and words are not", () => {
    const password = 'pa"ss/wo+rd 7&x!';
    const environment = {
      DB_PASSWORD: password,
      HOME_KEY: "/home/me/.keys/file",
      TOKEN_KIND: "bearer",
      PWD: "/work/place/0123",
      MY_THING: "winter-garden",
    };
    const own = vault({ environment, variableNames: ["MY_THING"] });
    const texts = [
      password,
      JSON.stringify({ password }),
      `https://h/?p=${encodeURIComponent(password)}`,
      "in the winter-garden",
    ];
    for (const text of texts) {
      const redacted = own.redact(text);
      expect(redacted).toMatch(/PITH_SECRET_env_[0-9a-f]{12}/);
      expect(vault({ environment, variableNames: ["MY_THING"] }).restore(redacted)).toEqual({
        type: "restored",
        value: text,
      });
    }
    expect(own.redact("/home/me/.keys/file bearer /work/place/0123")).toBe(
      "/home/me/.keys/file bearer /work/place/0123",
    );
    expect(own.takeFindings().map(({ family }) => family)).toEqual([
      "DB_PASSWORD",
      "DB_PASSWORD",
      "DB_PASSWORD",
      "MY_THING",
    ]);
  });

  test.each([
    ["a space", " "],
    ["a tab", "\t"],
    ["the carriage return of a Windows file", "\r"],
  ])("SEC5 the value of a variable that ends in %s is found where it is printed without it", (_, end) => {
    const password = ["tQ7", "plank", "91x"].join("-");
    const own = vault({ environment: { DB_PASSWORD: `${password}${end}` } });
    const redacted = own.redact(`the password is ${password}, or "${password}"`);
    expect(redacted).toMatch(/^the password is (PITH_SECRET_env_[0-9a-f]{12}), or "\1"$/);
    expect(own.restore(redacted)).toEqual({
      type: "restored",
      value: `the password is ${password}, or "${password}"`,
    });
  });

  test.each([20, 52, 200, 512])(
    "SEC1 a random value of %d characters in a field such as `token` is redacted and restored",
    (length) => {
      const random = createSeededRandom(length);
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
      const value = Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
      const own = vault();
      const redacted = own.redact({ token: value });
      expect(redacted.token).toMatch(/^PITH_SECRET_[a-z]+_[0-9a-f]{12}$/);
      expect(own.restore(redacted)).toEqual({ type: "restored", value: { token: value } });
    },
  );

  test("SEC5 a listed value of six characters is found where it is the whole text, as in an argument, and in a sentence", () => {
    const own = vault({
      environment: { MY_PIN: "oak-91", MY_LETTERS: "elm-7" },
      variableNames: ["MY_PIN", "MY_LETTERS"],
    });
    const redacted = own.redact({ pin: "oak-91", line: "it is oak-91.", short: "elm-7", tree: "an elm-7" });
    const placeholder = expect.stringMatching(/^PITH_SECRET_env_[0-9a-f]{12}$/);
    // Five characters are too few: they occur inside words.
    expect(redacted).toEqual({ pin: placeholder, line: `it is ${redacted.pin}.`, short: "elm-7", tree: "an elm-7" });
  });

  test("SEC9 SEC11 a secret that is the name of a field, or in nested lists, is redacted and restored", () => {
    const own = vault();
    const secret = String(createSampleSecrets(1, createSeededRandom(15))[0]?.text);
    const value = { hosts: { [secret]: "the key of a host", plain: [[`see ${secret}`]] }, count: 1 };
    const redacted = own.redact(value);
    const placeholder = own.redact(secret);
    expect(placeholder).toMatch(/^PITH_SECRET_github_[0-9a-f]{12}$/);
    expect(redacted).toEqual({
      hosts: { [placeholder]: "the key of a host", plain: [[`see ${placeholder}`]] },
      count: 1,
    });
    expect(own.listPlaceholders({ [placeholder]: 1 })).toEqual([placeholder]);
    expect(own.restore(redacted)).toEqual({ type: "restored", value });
  });

  test("SEC5 a non-ASCII value is found in bytes, and a multiline value line by line", () => {
    const value = "pässwörd-Ünïque-7";
    const own = vault({
      environment: { MY_PASSWORD: value, MY_CERT_KEY: `first-line-of-it-1\nsecond-line-of-it-2\n` },
    });
    const stream = own.stream();
    const output = stream.write(Buffer.from(`it is ${value}.\n`).toString("latin1"));
    expect(output).toBe(`it is ${own.redact(value)}.\n`);
    expect(own.restore(output)).toEqual({ type: "restored", value: `it is ${value}.\n` });
    expect(own.redact("a\nfirst-line-of-it-1\nsecond-line-of-it-2\nb").split("\n")).toHaveLength(4);
  });

  test("SEC5 a value found by its name is also found without it", () => {
    const own = vault();
    const { text, secret } = createSampleSecrets(secretPatterns.length, createSeededRandom(4)).findLast(
      ({ patternId: family }) => family === "assigned",
    ) ?? { text: "", secret: "" };
    own.redact(text);
    expect(own.redact(`it printed ${secret}`)).toMatch(/^it printed PITH_SECRET_assigned_/);
    expect(own.redact({ apiToken: secret.split("").toReversed().join("") }).apiToken).toMatch(/^PITH_SECRET_assigned_/);
  });

  test("SEC6 unknown placeholders are reported, and learning a text makes them known", () => {
    const [planted] = createSampleSecrets(1, createSeededRandom(6));
    const text = `key = ${planted?.text}`;
    const redacted = vault().redact({ content: text });
    const other = vault();
    expect(other.restore(redacted)).toEqual({
      type: "unknown",
      placeholders: [redacted.content.slice("key = ".length)],
    });
    other.learn(text);
    expect(other.restore(redacted)).toEqual({ type: "restored", value: { content: text } });
    const example = "see PITH_SECRET_github_0123456789ab";
    other.learn(example);
    expect(other.restore(example).type).toBe("unknown");
    expect(other.restore(example, { sourceText: example })).toEqual({ type: "restored", value: example });
    expect(other.restore(example).type).toBe("unknown");
  });

  test("SEC7 a private key is redacted line by line, its markers and line ends stay, and a truncated key is found, too", () => {
    const { text, secret } = createSampleSecrets(secretPatterns.length + 1, createSeededRandom(8)).at(-1) ?? {
      text: "",
      secret: "",
    };
    const own = vault();
    const redacted = own.redact(text);
    expect(redacted.split("\n").map((line) => line.slice(0, 10))).toEqual([
      "-----BEGIN",
      "PITH_SECRE",
      "PITH_SECRE",
      "-----END R",
    ]);
    const escaped = JSON.stringify(text);
    for (const form of [escaped, text.slice(0, 90), text.slice(40), `  12: ${text.replaceAll("\n", "\n  13: ")}`])
      expect(vault().redact(form)).not.toContain(secret.slice(-20, -4));
    expect(vault().restore(vault().redact(escaped)).type).toBe("unknown");
  });

  test.each([
    ["PGP PRIVATE KEY BLOCK", "Version: GnuPG v1"],
    ["PGP PRIVATE KEY BLOCK", "Comment: of the build server"],
    ["PGP PRIVATE KEY BLOCK", "Hash: SHA256"],
    ["PGP PRIVATE KEY BLOCK", "Charset: UTF-8"],
    ["RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED"],
    ["RSA PRIVATE KEY", "DEK-Info: AES-128-CBC,ABCD"],
  ])("SEC7 a truncated %s that begins with the line %s is redacted, and the line stays", (kind, line) => {
    const secret = createSampleSecrets(secretPatterns.length + 1, createSeededRandom(8)).at(-1)?.secret;
    const redacted = vault().redact(`-----BEGIN ${kind}-----\n${line}\n\n${secret}\n`);
    const key = expect.stringMatching(/^PITH_SECRET_\S+$/);
    expect(redacted.split("\n")).toEqual([`-----BEGIN ${kind}-----`, line, "", key, ""]);
  });

  test("SEC7 the end of a one-line key is found without its header, and so is a truncated token", () => {
    const { text, secret } = createSampleSecrets(secretPatterns.length + 1, createSeededRandom(8)).at(-1) ?? {
      text: "",
      secret: "",
    };
    const tail = JSON.stringify(text).slice(45);
    expect(vault().redact(tail)).not.toContain(secret.slice(-20));
    expect(vault().restore(vault().redact(tail)).type).toBe("unknown");
    const token = String(createSampleSecrets(1, createSeededRandom(8))[0]?.secret).slice(0, 22);
    for (const cut of [`x = ${token}[…]`, `x = ${token} […]`, `x = ${token}…`])
      expect(vault().redact(cut)).not.toContain(token);
    expect(vault().redact(`x = ${token}`)).toBe(`x = ${token}`);
  });

  test("SEC6 an incomplete placeholder counts as unknown, unless the file itself contains it", () => {
    const own = vault();
    const pieces = [
      "PITH_SECRET_github_0123",
      "see PITH_SECRET_github",
      "PITH_SECRET_github_",
      "PITH_SECRET_env_01xyz",
    ];
    for (const piece of pieces) expect(own.restore(piece).type).toBe("unknown");
    expect(own.restore("grep PITH_SECRET_ src; PITH_SECRET_<family>").type).toBe("restored");
    for (const piece of pieces)
      expect(own.restore(piece, { sourceText: pieces.join("\n") })).toEqual({ type: "restored", value: piece });
  });

  test("SEC8 a scan takes four times as long for four times the text, whatever it contains", () => {
    const hostile = [
      "sk-",
      "eyJ.",
      "token=",
      "password: a1B2",
      "-----BEGIN RSA PRIVATE KEY-----\n",
      "https://a:b",
      "ghp_aaaa",
      "AccountKey=",
      '"auth": "',
      "-----END PRIVATE KEY-----\n",
      "-----BEGIN PRIVATE KEY-----",
      "1234567890:AA",
      "Bearer abc",
      "glc_eyJ/",
      "whsec_+",
      "--token a",
      " -u a:",
    ];
    for (const piece of hostile) {
      const text = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
      expectLinearScan(text(20_000), text(80_000));
    }
  });

  test("SEC8 an endless name or an endless key line does not take longer", () => {
    const key = (letter: string, length: number): string =>
      `-----BEGIN PRIVATE ${"KEY"}-----\n${"a1B2".repeat(16)}\n${letter.repeat(length)}!\n${letter.repeat(length)}!-----END PRIVATE ${"KEY"}-----`;
    const hostile: readonly ((length: number) => unknown)[] = [
      (length) => ({ [`${"_".repeat(length)}!`]: "a1B2c3D4e5F6g7H8i9J0" }),
      (length) => key("+", length),
      (length) => key("\\", length),
      (length) => key("a", length),
    ];
    for (const make of hostile) expectLinearScan(make(20_000), make(80_000));
  });

  function expectLinearScan(short: unknown, long: unknown): void {
    expectLinearTime(
      () => vault().redact(short),
      () => vault().redact(long),
    );
  }

  test("SEC9 text after a placeholder is scanned as it was before the redaction", () => {
    const own = vault({ environment: { MINE: "SECRET" }, variableNames: ["MINE"] });
    const [one, two] = createSampleSecrets(secretPatterns.length, createSeededRandom(14))
      .slice(-2)
      .map(({ secret }) => secret);
    const [token] = createSampleSecrets(1, createSeededRandom(14));
    for (const text of [`${token?.text}: ${one}`, `SECRET ${token?.text} = ${two} SECRET`]) {
      const redacted = own.redact(text);
      expect(own.redact(redacted)).toBe(redacted);
      expect(own.restore(redacted)).toEqual({ type: "restored", value: text });
    }
  });

  const pool = createSampleSecrets(200, createSeededRandom(21));
  const planting = fc.array(
    fc.oneof(
      fc.string({ unit: "grapheme" }).filter((each) => !each.includes("PITH_SECRET")),
      fc.constantFrom("\n", " ", "token = ", "\\n", "user: ", ": ", "=", "-----BEGIN PRIVATE " + "KEY-----\n"),
      fc.constantFrom(...pool).map(({ text }) => ` ${text} `),
    ),
    { maxLength: 12 },
  );

  test("SEC9 redacted text is restored unchanged, and redacting twice equals redacting once", () => {
    fc.assert(
      fc.property(planting, (pieces) => {
        const own = vault();
        const text = pieces.join("");
        const redacted = own.redact({ text });
        expect(own.redact({ ...redacted })).toEqual(redacted);
        expect(vault().redact({ ...redacted })).toEqual(redacted);
        expect(own.restore(redacted)).toEqual({ type: "restored", value: { text } });
      }),
      { numRuns: 300 },
    );
  });

  test("SEC10 a stream gives the same redacted text however it is split into chunks", () => {
    fc.assert(
      fc.property(planting, fc.array(fc.nat(400), { maxLength: 20 }), (pieces, cuts) => {
        const text = pieces.join("");
        const whole = streamed([text]);
        expect(streamed(cutInto(text, cuts))).toBe(whole);
        expect(vault().redact(whole)).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });

  test("SEC10 an endless line is written in bounded parts, and a secret at their boundary is found", () => {
    const secret = String(createSampleSecrets(1, createSeededRandom(9))[0]?.text);
    const text = `${"x ".repeat(32_760)}${secret} ${"y".repeat(90_000)} ${secret}`;
    const whole = streamed([text]);
    expect(whole).not.toContain(secret);
    expect(
      streamed(
        cutInto(
          text,
          Array.from({ length: 500 }, (_, at) => (at * 7_919) % text.length),
        ),
      ),
    ).toBe(whole);
  });

  test("SEC10 words in which no secret can start are written before the end of their line", () => {
    const stream = vault().stream();
    expect(stream.write("Do you want to go on? [Y/n] ")).toBe("Do you want to go on? [Y/n] ");
    expect(stream.write("the tok")).toBe("the ");
    expect(stream.write("en is one of")).toBe("");
    expect(stream.write(" those that nobody keeps")).toBe("token is one of those that nobody ");
    expect(stream.end()).toBe("keeps");
  });

  function streamed(pieces: readonly string[]): string {
    const stream = vault().stream();
    return pieces.map((piece) => stream.write(piece)).join("") + stream.end();
  }

  function cutInto(text: string, cuts: readonly number[]): readonly string[] {
    const places = [
      0,
      ...cuts.map((cut) => cut % (text.length + 1)).toSorted((one, other) => one - other),
      text.length,
    ];
    return places.slice(1).map((to, at) => text.slice(places[at], to));
  }
});
