/** Starts web servers on 127.0.0.1 with or without a certificate, and a proxy before them, and sends requests to them. */

import { generateKeyPairSync, sign } from "node:crypto";
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type ProxyCommand, type ProxyOptions, startProxy } from "../../src/node/sandbox-network/proxy.ts";
import type { NodeWebOptions } from "../../src/node/web/open-page.ts";
import { nodeWeb } from "../../src/node/web/web.ts";
import type { NetworkConnection, WebResult } from "../../src/ports.ts";

export async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export interface WebServer {
  readonly port: number;
  readonly requests: IncomingMessage[];
}

export async function startWeb(answer: RequestListener = (_, response) => response.end("hello")): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return { port: await listen(server), requests };
}

export interface TestProxy {
  readonly port: number;
  /** Hosts that permission was asked for, in order. */
  readonly permitted: string[];
  /** Names that were resolved. */
  readonly resolved: string[];
  readonly connections: NetworkConnection[];
  readonly open: Set<() => void>;
}

export interface TestProxyOptions extends Partial<ProxyOptions> {
  readonly permit?: ProxyCommand["permit"];
}

/** The credentials `Basic good` belong to its only command. */
export async function startTestProxy({
  permit = async () => null,
  ...options
}: TestProxyOptions = {}): Promise<TestProxy> {
  const log = { permitted: [] as string[], resolved: [] as string[], connections: [] as NetworkConnection[] };
  const command: ProxyCommand = {
    signal: new AbortController().signal,
    connections: new Set(),
    onConnection: (connection) => log.connections.push(connection),
    permit: (destination, signal) => {
      log.permitted.push(`${destination.host}:${destination.port}`);
      return permit(destination, signal);
    },
  };
  const resolve = options.resolve ?? (async () => ["127.0.0.1"]);
  const listening = createServer();
  const port = await listen(listening);
  const proxy = startProxy(listening, {
    findCommand: (authorization) => (authorization === "Basic good" ? command : null),
    privateHosts: [],
    environment: {},
    ...options,
    resolve: (name) => {
      log.resolved.push(name);
      return resolve(name);
    },
  });
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { port, ...log, open: command.connections };
}

/** Sends bytes and returns the reply, until the other side closes or `until` matches. */
export function exchange(port: number, text: string | Buffer, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    const finish = (): void => {
      socket.destroy();
      resolve(reply);
    };
    socket.on("data", (chunk) => {
      reply += chunk.toString("latin1");
      if (until?.test(reply)) finish();
    });
    socket.on("error", finish).on("close", finish);
  });
}

export const AUTHORIZED = "Proxy-Authorization: Basic good\r\n";

export function connectTo(target: string, headers = AUTHORIZED): string {
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${headers}\r\n`;
}

export interface Site {
  readonly port: number;
  /** As an allowed host is written. */
  readonly host: string;
  readonly url: string;
}

export async function newSite(answer: RequestListener): Promise<Site> {
  const port = await listen(createHttpServer(answer));
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/` };
}

export async function newSecureSite(certificate: Certificate, answer: RequestListener): Promise<Site> {
  const port = await listen(createSecureServer(certificate, answer));
  return { port, host: `127.0.0.1:${port}`, url: `https://127.0.0.1:${port}/` };
}

/** Opens a URL; up to a million bytes of it. */
export function open(url: string, parts: NodeWebOptions, signal?: AbortSignal): Promise<WebResult> {
  return nodeWeb(parts).open(url, { signal: signal ?? new AbortController().signal, maxBytes: MILLION });
}

export const MILLION = 1_000_000;

export function textOf(opened: WebResult): string {
  if (opened.type !== "page") throw new Error(`no page, but ${opened.why}: ${opened.message}`);
  return new TextDecoder().decode(opened.bytes);
}

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
