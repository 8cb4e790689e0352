/** Chooses the effective context window, the smallest of the set, served and learned figures, and identifies endpoints. */

export interface WindowFigures {
  readonly setting?: number | undefined;
  readonly served?: Pick<ServedWindow, "window" | "source"> | null | undefined;
  readonly learned?: number | undefined;
  /** The catalogue's figure, used if there is no other. */
  readonly catalogueWindow: number;
  /** Whether the catalogue's figure is only a default. */
  readonly isCatalogueDefault?: boolean | undefined;
}

export interface ContextWindow {
  readonly tokens: number;
  /** Where the figure comes from. */
  readonly source: "setting" | "served" | "learned" | "assumed" | "catalogue";
}

export function chooseContextWindow({
  setting,
  served,
  learned,
  catalogueWindow,
  isCatalogueDefault,
}: WindowFigures): ContextWindow {
  const isAssumed = served?.source === "assumed";
  const figures: ContextWindow[] = [
    ...toFigure("setting", setting),
    ...toFigure("served", isAssumed ? undefined : served?.window),
    ...toFigure("learned", learned),
  ];
  const [smallest] = figures.sort((one, other) => one.tokens - other.tokens);
  // Neither an assumption nor the catalogue overrides the user or the server, in either direction.
  const [assumption] = toFigure("assumed", isAssumed ? served?.window : undefined);
  return smallest ?? assumption ?? { tokens: catalogueWindow, source: isCatalogueDefault ? "assumed" : "catalogue" };
}

function toFigure(source: ContextWindow["source"], tokens: number | undefined): ContextWindow[] {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? [{ tokens, source }] : [];
}

/** Identifies an endpoint and model. Contains no keys or passwords of the URL, since it is written to disk. */
export function endpointKey(baseUrl: string, model: string): string {
  return `${normalizeEndpoint(baseUrl)} ${model}`;
}

function normalizeEndpoint(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  // `localhost:1234` parses as a URL with the scheme "localhost". It and the name of a provider are used unchanged.
  if (!url || !/^https?:$/.test(url.protocol)) return baseUrl.replace(/[?#].*$/s, "").replace(/^.*@/s, "");
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** Whether the host is on this machine or the local network: loopback, a private address, a name without a domain. */
export function isLocal(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname.toLowerCase() ?? "";
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe80)/.test(host) || host.startsWith("[::ffff:7f");
  if (/^\d+(?:\.\d+){3}$/.test(host)) return isPrivate(host.split(".").map(Number));
  return host !== "" && (!host.includes(".") || /\.(?:localhost|local|lan|internal|home\.arpa)$/.test(host));
}

function isPrivate([first = 0, second = 0]: readonly number[]): boolean {
  if (first === 127 || first === 10 || first === 0) return true;
  if (first === 172) return second >= 16 && second <= 31;
  if (first === 100) return second >= 64 && second <= 127;
  return (first === 192 && second === 168) || (first === 169 && second === 254);
}

/** A model server's answer about the window it serves. */
export interface ServedWindow {
  readonly server: "ollama" | "llama.cpp" | "lm-studio" | "vllm";
  /** Tokens of one conversation, the reply included. */
  readonly window: number;
  /**
   * `loaded`: the model runs with it. `configured`: the model will be loaded with it. `assumed`: unknown until the model
   * is loaded; probe again after the first reply.
   */
  readonly source: "loaded" | "configured" | "assumed";
  /** The window the model was trained for, if the server names it. It may serve far less. */
  readonly trained?: number;
  /** False if the server says that the model cannot call tools. */
  readonly takesTools?: false;
}

/**
 * Ollama chooses 4,096, 32,768 or 262,144 by the size of the graphics memory, or OLLAMA_CONTEXT_LENGTH; LM Studio uses the
 * last choice of its user. Both report it only once the model is loaded. With 4,096, sessions would be refused that most of
 * these machines can run; with more, the others would truncate silently. So this is the smallest window a session works in.
 */
const ASSUMED_WINDOW = 8_192;

export function createAssumedWindow(trained: number | null): number {
  return trained === null ? ASSUMED_WINDOW : Math.min(ASSUMED_WINDOW, trained);
}
