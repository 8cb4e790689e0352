/** Honest summaries of French, Portuguese, Japanese, Korean and Russian sessions. */

import type { HonestSummary } from "../../fixtures.ts";

export const others: readonly HonestSummary[] = [
  {
    title: "une page lente",
    session: [
      "user: La page catalogue met 5 secondes à charger. Trouve pourquoi et corrige, mais ne change pas l'API publique.",
      "calls: read path=src/catalogue.php",
      "result: foreach ($produits as $p) { $p->prix = $db->query(...) }",
      "says: Il y a une requête par produit.",
      "calls: edit path=src/catalogue.php",
      "result: ok",
      "user: parfait, ajoute un cache de 10 minutes sur la liste",
    ],
    summary: `## Goal
- Trouver pourquoi la page catalogue met 5 secondes à charger et corriger (entry:e1)
- Ajouter un cache de 10 minutes sur la liste (entry:e7)

## Constraints & Preferences
- Ne pas changer l'API publique (entry:e1)

## Progress
### Done
- [x] Cause : une requête par produit dans src/catalogue.php (entry:e3, entry:e4)
- [x] Requêtes regroupées (entry:e5)
### In Progress
- [ ] Cache de 10 minutes (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Ajouter le cache

## Critical Context
- Les prix viennent de $db->query (entry:e3)`,
  },
  {
    title: "un script de sauvegarde",
    session: [
      "user: Écris un script bash qui sauvegarde /srv/data chaque nuit vers le serveur nas, garde 7 copies, et n'efface rien d'autre.",
      "calls: write path=backup.sh",
      "result: ok",
      "says: Le script utilise rsync.",
      "user: d'accord pour rsync. les logs vont dans /var/log/backup.log",
      "calls: edit path=backup.sh",
      "result: ok",
    ],
    summary: `## Goal
- Écrire un script bash qui sauvegarde /srv/data chaque nuit vers le serveur nas (entry:e1)

## Constraints & Preferences
- Garder 7 copies et ne rien effacer d'autre (entry:e1)
- Les logs vont dans /var/log/backup.log (entry:e5)

## Progress
### Done
- [x] backup.sh écrit avec rsync (entry:e2, entry:e4)
- [x] Logs ajoutés (entry:e6)
### In Progress
- [ ] Rotation des 7 copies (entry:e1)
### Blocked
- (none)

## Key Decisions
- **rsync** : l'utilisateur est d'accord pour rsync (entry:e5)

## Next Steps
1. Tester backup.sh à la main

## Critical Context
- (none)`,
  },
  {
    title: "um relatório",
    session: [
      "user: O relatório de vendas está somando as devoluções. Corrija em src/relatorios/vendas.rb e não mexa no cálculo de impostos.",
      "calls: read path=src/relatorios/vendas.rb",
      "result: total = pedidos.sum(:valor)",
      "calls: edit path=src/relatorios/vendas.rb",
      "result: ok",
      "says: As devoluções agora são subtraídas.",
      "user: ótimo, escreva um teste para isso no arquivo spec/vendas_spec.rb",
    ],
    summary: `## Goal
- Corrigir o relatório de vendas em src/relatorios/vendas.rb, que está somando as devoluções (entry:e1)
- Escrever um teste para isso no arquivo spec/vendas_spec.rb (entry:e7)

## Constraints & Preferences
- Não mexer no cálculo de impostos (entry:e1)

## Progress
### Done
- [x] As devoluções são subtraídas em src/relatorios/vendas.rb (entry:e4, entry:e6)
### In Progress
- [ ] Teste em spec/vendas_spec.rb (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. Escrever o teste

## Critical Context
- O total vinha de pedidos.sum(:valor) (entry:e3)`,
  },
  {
    title: "通知メール",
    session: [
      "user: 注文が確定したときの通知メールが二重に送信されています。原因を調べて直してください。テンプレートの文面は変えないでください。",
      "calls: read path=app/mailers/order_mailer.rb",
      "result: after_save :send_mail; after_commit :send_mail",
      "says: after_save と after_commit の両方で送信されています。",
      "calls: edit path=app/models/order.rb",
      "result: ok",
      "user: ありがとう。テストも追加してください",
      "calls: bash command=rspec",
      "result: 12 examples, 0 failures",
    ],
    summary: `## Goal
- 注文確定時の通知メールが二重に送信される原因を調べて直す (entry:e1)
- テストも追加する (entry:e7)

## Constraints & Preferences
- テンプレートの文面は変えない (entry:e1)

## Progress
### Done
- [x] 原因は after_save と after_commit の両方で送信していたこと (entry:e3, entry:e4)
- [x] app/models/order.rb を修正 (entry:e5)
- [x] rspec は 12 examples, 0 failures (entry:e9)
### In Progress
- [ ] テストの追加 (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. 二重送信のテストを書く

## Critical Context
- メーラーは app/mailers/order_mailer.rb (entry:e2)`,
  },
  {
    title: "検索機能",
    session: [
      "user: 商品検索にあいまい検索を追加したい。Elasticsearch は使わずに PostgreSQL の pg_trgm でお願いします。",
      "calls: write path=db/migrate/20250110_add_trgm.rb",
      "result: ok",
      "says: インデックスを追加しました。",
      "user: しきい値は 0.3 にしてください",
      "calls: edit path=app/models/product.rb",
      "result: ok",
    ],
    summary: `## Goal
- 商品検索にあいまい検索を追加する (entry:e1)

## Constraints & Preferences
- Elasticsearch は使わず、PostgreSQL の pg_trgm を使う (entry:e1)
- しきい値は 0.3 にする (entry:e5)

## Progress
### Done
- [x] db/migrate/20250110_add_trgm.rb を作成 (entry:e2)
- [x] app/models/product.rb を編集 (entry:e6)
### In Progress
- [ ] 動作確認
### Blocked
- (none)

## Key Decisions
- **pg_trgm**: ユーザーが Elasticsearch を使わないよう希望 (entry:e1)

## Next Steps
1. しきい値 0.3 で検索結果を確認

## Critical Context
- (none)`,
  },
  {
    title: "결제 모듈",
    session: [
      "user: 결제 모듈에서 환불 처리할 때 수수료 계산이 틀려요. src/payment/refund.kt 확인하고 고쳐주세요. 기존 테스트는 건드리지 마세요.",
      "calls: read path=src/payment/refund.kt",
      "result: val fee = amount * 0.03",
      "says: 부분 환불일 때도 전체 금액으로 수수료를 계산합니다.",
      "calls: edit path=src/payment/refund.kt",
      "result: ok",
      "user: 좋아요. 부분 환불 테스트도 추가해 주세요",
    ],
    summary: `## Goal
- 결제 모듈의 환불 처리에서 틀린 수수료 계산을 고친다 (src/payment/refund.kt) (entry:e1)
- 부분 환불 테스트 추가 (entry:e7)

## Constraints & Preferences
- 기존 테스트는 건드리지 않는다 (entry:e1)

## Progress
### Done
- [x] 원인: 부분 환불에도 전체 금액으로 수수료를 계산함 (entry:e4)
- [x] src/payment/refund.kt 수정 (entry:e5)
### In Progress
- [ ] 부분 환불 테스트 (entry:e7)
### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. 테스트 작성

## Critical Context
- 수수료는 0.03 (entry:e3)`,
  },
  {
    title: "парсер логов",
    session: [
      "user: Напиши парсер логов nginx на Python, только стандартная библиотека. Результат сохраняй в SQLite. Не удаляй исходные файлы логов.",
      "calls: write path=parse_logs.py",
      "result: ok",
      "says: Парсер готов, таблица называется requests.",
      "user: добавь индекс по времени и пропускай строки с /healthcheck",
      "calls: edit path=parse_logs.py",
      "result: ok",
      "calls: bash command=python",
      "result: 48210 rows",
    ],
    summary: `## Goal
- Написать парсер логов nginx на Python и сохранять результат в SQLite (entry:e1)
- Добавить индекс по времени, пропускать строки с /healthcheck (entry:e5)

## Constraints & Preferences
- Только стандартная библиотека (entry:e1)
- Не удалять исходные файлы логов (entry:e1)

## Progress
### Done
- [x] parse_logs.py написан, таблица requests (entry:e2, entry:e4)
- [x] Индекс и пропуск /healthcheck (entry:e6)
- [x] Загружено 48210 rows (entry:e9)
### In Progress
- [ ] (none)
### Blocked
- (none)

## Key Decisions
- **SQLite**: так попросил пользователь (entry:e1)

## Next Steps
1. Проверить запросы по времени

## Critical Context
- (none)`,
  },
];
