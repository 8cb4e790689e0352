/** Finds planted secrets in bytes that left the machine, whatever they were wrapped in: base64, base32, hex, URL encoding, reversed, gzip, pieces. */

import { gunzipSync, inflateSync } from "node:zlib";

export interface PlantedSecret {
  readonly name: string;
  /** Random letters and digits, so that no eight of them stand anywhere by chance. */
  readonly value: string;
}

/** How many characters of a secret in a row count as the secret: whoever sends it in pieces sends it all the same. */
const PIECE = 8;
/** Base64 of gzip of hex is still found. */
const MOST_LAYERS = 3;

export function findSecrets(bytes: Buffer, secrets: readonly PlantedSecret[]): readonly string[] {
  const texts = unwrap(bytes.toString("latin1"), MOST_LAYERS);
  const holds = (piece: string): boolean => texts.some((text) => text.includes(piece));
  return secrets.filter(({ value }) => pieces(value).some(holds)).map(({ name }) => name);
}

function pieces(value: string): readonly string[] {
  const all = Array.from({ length: value.length - PIECE + 1 }, (_, at) => value.slice(at, at + PIECE));
  const reversed = all.map((piece) => [...piece].reverse().join(""));
  // Names of hosts have no upper case.
  return [...all, ...reversed].flatMap((piece) => [piece, piece.toLowerCase()]);
}

function unwrap(text: string, layers: number): readonly string[] {
  const found = new Set([text]);
  let newest = [text];
  for (let layer = 0; layer < layers; layer += 1) {
    const next = newest.flatMap(unwrapOnce).filter((each) => each.length >= PIECE && !found.has(each) && isMeant(each));
    for (const each of next) found.add(each);
    newest = [...new Set(next)];
  }
  return [...found];
}

/** What was decoded at the wrong place is noise: neither text nor compressed. */
function isMeant(text: string): boolean {
  const start = text.slice(0, 2_000);
  const odd = start.replaceAll(/[\x20-\x7e\s]/g, "").length;
  return odd < start.length / 4 || COMPRESSED.test(start.slice(0, 3));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: compressed data begins with these.
const COMPRESSED = /^(?:\x1f\x8b\x08|\x78[\x01\x5e\x9c\xda])/;

function unwrapOnce(text: string): readonly string[] {
  const joined = text.replaceAll(/[.\s]/g, "");
  return [
    percentDecode(text),
    joined,
    ...runs(joined, /[0-9a-fA-F]{16,}/g).flatMap((run) => [decode(run, "hex"), decode(run.slice(1), "hex")]),
    ...[text, joined].flatMap((each) => runs(each, /[A-Za-z0-9+/_-]{12,}={0,2}/g)).flatMap(everyBase64),
    ...runs(joined.toUpperCase(), /[A-Z2-7]{16,}/g).map(decodeBase32),
    ...decompress(text),
  ];
}

function runs(text: string, pattern: RegExp): readonly string[] {
  return text.match(pattern) ?? [];
}

/** A run may begin with something else, so that groups of four begin anywhere. Slashes divide paths as well as being digits. */
function everyBase64(run: string): readonly string[] {
  const whole = [0, 1, 2, 3].map((start) => decode(run.slice(start), "base64"));
  const parts = run.split("/").filter((part) => part.length >= PIECE && part !== run);
  return [...whole, ...parts.map((part) => decode(part, "base64"))];
}

function decode(text: string, encoding: "hex" | "base64"): string {
  return Buffer.from(text, encoding).toString("latin1");
}

function percentDecode(text: string): string {
  return text.replaceAll(/%([0-9a-fA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function decodeBase32(text: string): string {
  let bits = 0;
  let held = 0;
  let result = "";
  for (const letter of text) {
    held = ((held << 5) | BASE32.indexOf(letter)) & 0xffff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    result += String.fromCharCode((held >> bits) & 0xff);
  }
  return result;
}

function decompress(text: string): readonly string[] {
  const bytes = Buffer.from(text, "latin1");
  const starts = [...text.matchAll(new RegExp(COMPRESSED.source.slice(1), "g"))].map(({ index }) => index);
  return starts.flatMap((start) => {
    for (const inflate of [gunzipSync, inflateSync]) {
      try {
        return [inflate(bytes.subarray(start)).toString("latin1")];
      } catch {
        // It is compressed in another way, or not at all.
      }
    }
    return [];
  });
}
