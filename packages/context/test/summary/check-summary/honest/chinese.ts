/** Honest summaries of Chinese sessions: true, in other words than the user's, with correct citations. */

import type { HonestSummary } from "../../fixtures.ts";

export const chinese: readonly HonestSummary[] = [
  {
    title: "登录测试",
    session: [
      "user: 登录测试 test/login.spec.ts 有时候会失败,帮我查一下原因并修好。不要只是把超时时间调大。",
      "calls: read path=test/login.spec.ts",
      "result: await login(); expect(token).toBeDefined()",
      "says: src/auth/token.ts 里的 refresh 没有 await。",
      "calls: edit path=src/auth/token.ts",
      "result: ok",
      "user: 好的,再加一个回归测试",
      "calls: bash command=vitest",
      "result: 36 passed",
    ],
    summary: `## Goal
- 查明登录测试 test/login.spec.ts 有时失败的原因并修好 (entry:e1)
- 再加一个回归测试 (entry:e7)

## Constraints & Preferences
- 不要只是调大超时时间 (entry:e1)

## Progress
### Done
- [x] 原因:src/auth/token.ts 中的 refresh 没有 await (entry:e4)
- [x] 已修改 src/auth/token.ts (entry:e5)
- [x] vitest 36 passed (entry:e9)
### In Progress
- [ ] 编写回归测试 (entry:e7)
### Blocked
- (none)

## Key Decisions
- **修复 await 而不是加长超时**: 用户不希望只调大超时时间 (entry:e1)

## Next Steps
1. 在 test/login.spec.ts 里加回归测试

## Critical Context
- 测试里检查 token 是否已定义 (entry:e3)`,
  },
  {
    title: "导出功能",
    session: [
      "user: 给订单列表加一个导出 Excel 的功能,用现有的 exceljs,文件名里要带上日期。数据量大的时候要分批查询,每批 2000 条。",
      "calls: read path=src/orders/list.vue",
      "result: <el-table :data='orders'>",
      "calls: write path=src/orders/export.ts",
      "result: ok",
      "says: 导出功能写好了,文件名是 orders-20250101.xlsx 这种格式。",
      "user: 金额列要保留两位小数,表头用中文",
      "calls: edit path=src/orders/export.ts",
      "result: ok",
    ],
    summary: `## Goal
- 给订单列表加上导出 Excel 的功能,文件名带日期 (entry:e1)

## Constraints & Preferences
- 使用现有的 exceljs (entry:e1)
- 数据量大时分批查询,每批 2000 条 (entry:e1)
- 金额列保留两位小数,表头用中文 (entry:e7)

## Progress
### Done
- [x] src/orders/export.ts 已写好 (entry:e4, entry:e6)
- [x] 金额列和表头已调整 (entry:e8)
### In Progress
- [ ] 分批查询 (entry:e1)
### Blocked
- (none)

## Key Decisions
- **exceljs**: 用户要求用现有的 exceljs (entry:e1)

## Next Steps
1. 实现每批 2000 条的查询

## Critical Context
- 列表组件在 src/orders/list.vue (entry:e2)`,
  },
  {
    title: "数据库迁移",
    session: [
      "user: 把用户表从 MySQL 迁移到 PostgreSQL,旧表先别删,等我确认以后再说",
      "calls: bash command=mysql",
      "result: users 1203344 rows",
      "says: 我打算用 pgloader。",
      "user: 可以,不过晚上十点以后再跑,白天会影响线上",
      "calls: write path=scripts/migrate_users.load",
      "result: ok",
    ],
    summary: `## Goal
- 把用户表从 MySQL 迁移到 PostgreSQL (entry:e1)

## Constraints & Preferences
- 旧表先不要删,等用户确认以后再说 (entry:e1)
- 晚上十点以后再跑,白天会影响线上 (entry:e5)

## Progress
### Done
- [x] 写好 scripts/migrate_users.load (entry:e6)
### In Progress
- [ ] 等到晚上运行迁移 (entry:e5)
### Blocked
- (none)

## Key Decisions
- **pgloader**: 提出后用户说可以 (entry:e4, entry:e5)

## Next Steps
1. 十点以后运行 pgloader

## Critical Context
- users 表有 1203344 行 (entry:e3)`,
  },
  {
    title: "性能优化",
    session: [
      "user: 首页加载太慢了,要 6 秒多,帮我优化到 2 秒以内。图片可以用懒加载,但首屏的图片不要懒加载。",
      "calls: bash command=lighthouse",
      "result: Largest Contentful Paint 6.4 s, hero.png 3.2 MB",
      "calls: edit path=src/pages/index.tsx",
      "result: ok",
      "says: 首屏之外的图片已经懒加载。",
      "user: hero.png 转成 webp 吧",
      "calls: bash command=cwebp",
      "result: hero.webp 410 KB",
    ],
    summary: `## Goal
- 把首页加载时间从 6 秒多优化到 2 秒以内 (entry:e1)
- 把 hero.png 转成 webp (entry:e7)

## Constraints & Preferences
- 首屏的图片不要懒加载,其他图片可以懒加载 (entry:e1)

## Progress
### Done
- [x] src/pages/index.tsx 中首屏之外的图片已懒加载 (entry:e4, entry:e6)
- [x] 生成 hero.webp,410 KB (entry:e9)
### In Progress
- [ ] 重新测量首页加载时间
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. 再跑一次 lighthouse

## Critical Context
- 优化前 Largest Contentful Paint 是 6.4 s (entry:e3)`,
  },
  {
    title: "代码规范",
    session: [
      "user: 帮我把 utils 目录里的 js 文件都改成 ts,变量名用驼峰,注释写中文。一次只改一个文件,改完告诉我。",
      "calls: bash command=ls",
      "result: utils/date.js utils/format.js",
      "calls: write path=utils/date.ts",
      "result: ok",
      "says: date.ts 改好了。",
      "user: 继续",
    ],
    summary: `## Goal
- 把 utils 目录里的 js 文件改成 ts (entry:e1)

## Constraints & Preferences
- 变量名用驼峰,注释写中文 (entry:e1)
- 一次只改一个文件,改完告诉用户 (entry:e1)

## Progress
### Done
- [x] utils/date.ts (entry:e4)
### In Progress
- [ ] utils/format.js 改成 ts,用户让继续 (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. 改 utils/format.js

## Critical Context
- 目录里只有 date.js 和 format.js (entry:e3)`,
  },
];
