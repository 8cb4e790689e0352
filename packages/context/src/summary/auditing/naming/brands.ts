/** Names that everybody uses and nobody has to have said: products and formats, written with capitals inside. */

export function isKnownBrand(word: string): boolean {
  return BRANDS.has(word.toLowerCase().replace(/s$/, ""));
}

const BRANDS: ReadonlySet<string> = new Set(
  `github gitlab javascript typescript coffeescript postgresql postgre mysql mariadb sqlite mongodb dynamodb couchdb graphql nodejs node.j
  next.j vue.j nuxt.j react.j express.j three.j macos io ipado iphone ipad openai youtube linkedin devop webpack vscode intellij jetbrain
  pycharm webstorm dockerhub kubernete latex powershell postcss stylelint codemirror webassembly websocket webgl webrtc jquery fastapi
  pytorch tensorflow numpy openapi opentelemetry elasticsearch rabbitmq nextj nestj vuej threej deepseek readme boolean sha utf asp.net e.g
  i.e z.b u.a d.h p.ej a.m p.m etc vs.code`.split(/\s+/),
);
