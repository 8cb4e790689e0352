/** Creates a self-signed certificate for a name on each run, so that the repository has no key and none expires. */

import { generateKeyPairSync, sign } from "node:crypto";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export function certificateFor(name: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const who = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(name)))));
  const when = sequence(time("20200101000000Z"), time("20991231235959Z"));
  const body = sequence(VERSION_3, SERIAL, ECDSA_SHA256, who, when, who, spki, extensions(name));
  const signature = tagged(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  const der = sequence(body, ECDSA_SHA256, signature);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines(der).join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

function lines(der: Buffer): readonly string[] {
  return der.toString("base64").match(/.{1,64}/g) ?? [];
}

/** The subject name, and that it is its own certificate authority. */
function extensions(name: string): Buffer {
  const names = sequence(SUBJECT_NAMES, tagged(0x04, sequence(tagged(0x82, Buffer.from(name)))));
  const authority = sequence(CONSTRAINTS, tagged(0x04, sequence(Buffer.from([0x01, 0x01, 0xff]))));
  return tagged(0xa3, sequence(names, authority));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function time(text: string): Buffer {
  return tagged(0x18, Buffer.from(text));
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...sizeOf(content.length)]), content]);
}

function sizeOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}

const VERSION_3 = Buffer.from([0xa0, 0x03, 0x02, 0x01, 0x02]);
const SERIAL = Buffer.from([0x02, 0x01, 0x01]);
const ECDSA_SHA256 = sequence(objectId("2a8648ce3d040302"));
const COMMON_NAME = objectId("550403");
const SUBJECT_NAMES = objectId("551d11");
const CONSTRAINTS = objectId("551d13");
