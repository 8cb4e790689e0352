/** Names that everybody uses and nobody has to have said: products, formats and abbreviations. */

export function isKnownBrand(word: string): boolean {
  const name = word.toLowerCase();
  return BRANDS.has(name) || BRANDS.has(name.replace(/s$/, ""));
}

const BRANDS: ReadonlySet<string> = new Set(
  `github gitlab javascript typescript coffeescript postgresql mysql mariadb sqlite mongodb dynamodb couchdb graphql
  nodejs node.js next.js vue.js nuxt.js react.js express.js three.js nextjs nestjs vuejs macos ios ipados iphone ipad
  openai youtube linkedin devops webpack vscode intellij jetbrains pycharm webstorm dockerhub kubernetes latex
  powershell postcss stylelint codemirror webassembly websocket webgl webrtc jquery fastapi pytorch tensorflow numpy
  openapi opentelemetry elasticsearch rabbitmq deepseek boolean asp.net vs.code`.split(/\s+/),
);
