/** Test helpers: real servers on this machine, and a client that may reach them. */

import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { NodeWebOptions } from "../../../src/node/web/open-page.ts";
import { nodeWeb } from "../../../src/node/web/web.ts";
import type { WebResult } from "../../../src/ports.ts";
import type { Certificate } from "./certificate.ts";

export interface Site {
  readonly port: number;
  /** As an allowed host is written. */
  readonly host: string;
  readonly url: string;
}

export async function newSite(answer: RequestListener): Promise<Site> {
  const port = await listening(createServer(answer));
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}/` };
}

export async function newSecureSite(certificate: Certificate, answer: RequestListener): Promise<Site> {
  const port = await listening(createSecureServer(certificate, answer));
  return { port, host: `127.0.0.1:${port}`, url: `https://127.0.0.1:${port}/` };
}

async function listening(server: Server): Promise<number> {
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
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
