/** Tests that ids which the model needs are never redacted, wherever they stand. */

import { Vault } from "@pith/context/secrets";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSampleSecrets } from "../support/sample-secrets.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

describe("handles", () => {
  const digest = (value: string): string => Buffer.from(value).toString("hex").padEnd(12, "0").slice(0, 12);
  const hexadecimal = (length: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
  const letters = (length: number): fc.Arbitrary<string> =>
    fc.string({
      unit: fc.constantFrom(..."ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789"),
      minLength: length,
      maxLength: length,
    });
  const uuid = fc.uuid();

  /** With what stands before them. */
  const written = fc.oneof(
    fc.nat(999_999_999).map((number) => `#${number}`),
    fc
      .constantFrom(8, 12, 16, 40, 64)
      .chain(hexadecimal)
      .map((digits) => `blob:${digits}`),
    fc
      .constantFrom(8, 20)
      .chain(hexadecimal)
      .map((id) => `entry:${id}`),
    uuid,
    uuid.map((id) => `entry:${id}`),
    letters(24).map((id) => `toolu_01${id}`),
    letters(24).map((id) => `call_${id}`),
    hexadecimal(50).map((id) => `fc_${id}`),
    hexadecimal(64).map((sum) => `sha256:${sum}`),
    hexadecimal(12).map((digits) => `PITH_SECRET_github_${digits}`),
  );
  /** Without: ids of entries, and digests. */
  const bare = fc.oneof(...[8, 20, 40, 64].map(hexadecimal));
  const plain = fc.constantFrom(
    (handle: string) => `see ${handle} for the rest`,
    (handle: string) => `(${handle}), [${handle}]`,
    (handle: string) => JSON.stringify({ id: handle, text: `opened ${handle}\nand more` }),
    (handle: string) => `https://host.example/s/${handle}?from=${encodeURIComponent(handle)}#top`,
    (handle: string) => `commit ${handle}\nindex ${handle}..${handle}`,
  );
  const named = fc.constantFrom(
    (handle: string) => `token=${handle}`,
    (handle: string) => `api_key: ${handle}`,
    (handle: string) => `"secret": "${handle}"`,
    (handle: string) => `--token ${handle} and more`,
    (handle: string) => `Authorization: Bearer ${handle}`,
    (handle: string) => `https://host.example/?access_token=${encodeURIComponent(handle)}&page=2`,
  );

  test("SEC30 a handle stays unchanged in sentences, JSON and URLs, with and without its prefix", () => {
    fc.assert(
      fc.property(fc.oneof(written, bare), plain, (handle, write) => {
        const text = write(handle);
        expect(new Vault({ digest }).redact(text)).toBe(text);
        expect(new Vault({ digest }).redact({ toolCallId: handle, parentId: handle })).toEqual({
          toolCallId: handle,
          parentId: handle,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test("SEC30 a handle with its prefix stays unchanged after a secret name, too", () => {
    fc.assert(
      fc.property(written, named, (handle, write) => {
        const text = write(handle);
        expect(new Vault({ digest }).redact(text)).toBe(text);
        expect(new Vault({ digest }).redact({ apiToken: handle })).toEqual({ apiToken: handle });
      }),
      { numRuns: 1_000 },
    );
  });

  test("SEC30 a known value that is a part of a handle does not break it; alone it is redacted", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(20, 40, 64).chain(hexadecimal),
        fc.nat(7),
        fc.constantFrom("blob:", "entry:", "sha256:", ""),
        (hash, from, kind) => {
          const value = hash.slice(from, from + 12);
          const own = new Vault({ digest, environment: { PART: value }, variableNames: ["PART"] });
          const text = `see ${kind}${hash} there`;
          expect(own.redact(text)).toBe(text);
          expect(own.redact(`see ${value} there`)).toMatch(/^see PITH_SECRET_env_/);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("SEC30 a digest without a prefix after a secret name is a secret, and so is a known value that is a whole id", () => {
    const sum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    expect(new Vault({ digest }).redact(`token=${sum}`)).not.toContain(sum);
    const own = new Vault({ digest, environment: { DEPLOY_KEY: sum } });
    expect(own.redact(`blob:${sum}`)).not.toContain(sum);
    // `read` gets the true value back, so that even such a handle opens what it names.
    expect(own.restore(own.redact(`blob:${sum}`))).toEqual({ type: "restored", value: `blob:${sum}` });
  });

  test("SEC30 the prefix of a handle hides no secret", () => {
    for (const { secret } of createSampleSecrets(100, createSeededRandom(5)).filter(
      ({ text, secret }) => text === secret,
    ))
      for (const kind of ["blob:", "entry:", "#", "sha256:", "session:"])
        expect(new Vault({ digest }).redact(`see ${kind}${secret} there`)).not.toContain(secret);
  });
});
