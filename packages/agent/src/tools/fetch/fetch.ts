/** The tool `fetch`: a page of the web as Markdown, part by part. */

import type { Redaction } from "@pith/context";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { failed } from "../output.ts";
import { answer } from "./answer.ts";
import { description, parameters } from "./description.ts";
import { Pages } from "./pages.ts";
import type { Readable } from "./reading/readable.ts";
import type { Web, WebFailed, WebRefused } from "./web.ts";
import { wishOf } from "./wish.ts";

/** Where the web may lead is the port's business; see `nodeWeb`. */
export function fetchTool(web: Web, { redaction }: { readonly redaction?: Redaction | undefined } = {}): Tool {
  const pages = new Pages();
  return {
    name: "fetch",
    description,
    parameters,
    isIdempotent: true,
    intent: (asked) => {
      const wish = wishOf(asked);
      return wish.type === "fetch" ? { type: "fetch", url: wish.url } : { type: "nothing" };
    },
    run: (call) => fetchPart(call, { web, pages, redaction }),
  };
}

interface FetchParts {
  readonly web: Web;
  readonly pages: Pages;
  /** Pages are kept and cut as they come out of it. */
  readonly redaction: Redaction | undefined;
}

async function fetchPart(call: ToolCall, { web, pages, redaction }: FetchParts): Promise<ToolOutput> {
  const wish = wishOf(call.arguments);
  if (wish.type === "wrong") return failed(wish.message);
  const { url, offset } = wish;
  const kept = offset > 0 ? pages.find(url) : null;
  const fetched = kept ?? (await opened(url, web, call.signal));
  const page = redaction?.redacted(fetched) ?? fetched;
  if ("message" in page) return failed(`${url} was not fetched: ${page.message}`);
  pages.keep(url, page);
  return answer(page, { offset, room: call.room });
}

async function opened(url: string, web: Web, signal: AbortSignal): Promise<Readable | WebRefused | WebFailed> {
  const page = await web.open(url, { signal, mostBytes: MOST_BYTES });
  if (page.type !== "page") return page;
  // Loaded with the first page: a session that fetches none does not wait for it.
  const { readable } = await import("./reading/readable.ts");
  return await readable(page, { signal });
}

const MOST_BYTES = 5 * 1024 * 1024;
