/** Tests node/web/public-address.ts: the corpus of URLs, and addresses in every spelling. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Route, resolveRoute } from "../../../src/node/web/public-address.ts";
import type { WebFailed, WebRefused } from "../../../src/ports.ts";
import { addressBook, fetchCases, type Verdict } from "./fetch-cases.ts";

const signal = new AbortController().signal;

function wayTo(url: string, allowedHosts: readonly string[] = []): Promise<Route | WebRefused | WebFailed> {
  return resolveRoute(url, { resolve: async (name) => addressBook[name] ?? [], allowedHosts, signal });
}

async function verdictOn(url: string): Promise<Verdict> {
  const way = await wayTo(url);
  return way.type === "route" ? "route" : way.why;
}

describe("the corpus", () => {
  test("WEB1 WEB3 WEB4 at least sixty URLs give the expected result", async () => {
    expect(fetchCases.length).toBeGreaterThanOrEqual(60);
    const verdicts = await Promise.all(fetchCases.map(async ([url]) => [url, await verdictOn(url)]));
    expect(verdicts).toEqual(fetchCases);
  });

  test("WEB2 a route has exactly the addresses of its name", async () => {
    expect(await wayTo("https://example.com/a")).toMatchObject({
      host: "example.com",
      port: 443,
      isAllowed: false,
      isInNetwork: false,
      addresses: addressBook["example.com"],
    });
  });

  test("WEB3 a refusal names the host, its address and the kind of address", async () => {
    expect(await wayTo("http://half-inside.example/")).toEqual({
      type: "refused",
      why: "address",
      message: "half-inside.example (192.168.1.1) is not on the public internet (private address)",
    });
  });
});

describe("hosts of the user", () => {
  test.each([
    ["http://127.0.0.1:8080/", "127.0.0.1:8080"],
    ["http://localhost:3000/", "localhost:3000"],
    ["http://[::1]:3000/", "[::1]:3000"],
    ["http://inside.example/", "inside.example:80"],
    ["https://inside.example/", "inside.example:443"],
    ["http://inside.example:6379/", "inside.example:6379"],
  ])("WEB6 %s may be reached if %s is allowed", async (url, allowed) => {
    expect(await wayTo(url, [allowed])).toMatchObject({ type: "route", isAllowed: true });
  });

  test.each([
    ["http://127.0.0.1:8081/", "127.0.0.1:8080", "address"],
    ["http://127.0.0.1/", "127.0.0.1:8080", "address"],
    ["http://127.1:8080/", "127.0.0.1:8080", "spelling"],
    ["http://user@127.0.0.1:8080/", "127.0.0.1:8080", "credentials"],
    ["ftp://127.0.0.1:8080/", "127.0.0.1:8080", "scheme"],
    ["http://localhost:8080/", "127.0.0.1:8080", "name"],
  ])("WEB6 %s may not be reached if only %s is allowed", async (url, allowed, why) => {
    expect(await wayTo(url, [allowed])).toMatchObject({ type: "refused", why });
  });
});

describe("an address in a range that is not public", () => {
  const ranges: readonly (readonly [start: string, bits: number])[] = [
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.168.0.0", 16],
    ["198.18.0.0", 15],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ];
  const blocked = fc
    .constantFrom(...ranges)
    .chain(([start, bits]) =>
      fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((inside) => numberOf(start) + inside),
    );
  const spellings: readonly ((address: number) => string)[] = [
    dotted,
    (address) => String(address),
    (address) => `0x${address.toString(16)}`,
    (address) => `0${address.toString(8)}`,
    (address) =>
      bytesOf(address)
        .map((byte) => `0x${byte.toString(16)}`)
        .join("."),
    (address) =>
      bytesOf(address)
        .map((byte) => `0${byte.toString(8)}`)
        .join("."),
    (address) => `${address >>> 24}.${address & 0xffffff}`,
    (address) => `${address >>> 24}.${(address >>> 16) & 255}.${address & 0xffff}`,
    (address) => `${dotted(address)}.`,
    (address) => [...dotted(address)].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(""),
    (address) => [...dotted(address)].map((sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).join(""),
    (address) => `[::ffff:${dotted(address)}]`,
    (address) => `[::${dotted(address)}]`,
    (address) => `[64:ff9b::${dotted(address)}]`,
    (address) => `[2002:${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}::1]`,
  ];

  test("WEB3 is refused in any spelling, and as what a name resolves to", async () => {
    const anySpelling = fc.constantFrom(...spellings);
    await fc.assert(
      fc.asyncProperty(blocked, anySpelling, fc.constantFrom("http", "https"), async (address, spell, scheme) => {
        expect((await wayTo(`${scheme}://${spell(address)}/`)).type).toBe("refused");
        const resolve = async (): Promise<readonly string[]> => ["8.8.8.8", dotted(address)];
        const way = await resolveRoute("https://trap.example/", { resolve, allowedHosts: [], signal });
        expect(way).toMatchObject({ type: "refused", why: "address" });
      }),
      { numRuns: 2_000 },
    );
  });

  function numberOf(address: string): number {
    return address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
  }

  function bytesOf(address: number): readonly number[] {
    return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255);
  }

  function dotted(address: number): string {
    return bytesOf(address).join(".");
  }
});
