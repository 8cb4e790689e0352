/** Generates texts in other languages and scripts: a few sentences of each, in random order. */

import type { Random } from "../random.ts";
import { generateList, pick } from "./random-text.ts";

export const languageTexts: Readonly<Record<string, (random: Random) => string>> = {
  Chinese: (random) => generateList(200, () => pick(random, CHINESE)).join(""),
  Japanese: (random) => generateList(200, () => pick(random, JAPANESE)).join(""),
  Korean: (random) => generateList(200, () => pick(random, KOREAN)).join(" "),
  Russian: (random) => generateList(200, () => pick(random, RUSSIAN)).join(" "),
  German: (random) => generateList(200, () => pick(random, GERMAN)).join(" "),
  "Chinese with code": (random) =>
    generateList(200, () => `${pick(random, CHINESE)} \`${pick(random, COMMANDS)}\``).join("\n"),
  "emoji and words": (random) =>
    generateList(300, () => `${pick(random, EMOJI)} ${pick(random, COMMANDS)} ${pick(random, EMOJI)}`).join("\n"),
  "emoji alone": (random) => generateList(1500, () => pick(random, EMOJI)).join(""),
};

const CHINESE = [
  "请先阅读配置文件，再决定是否需要修改数据库的连接方式。",
  "昨天晚上部署之后，有几位用户反映页面加载得非常慢，我怀疑是缓存没有生效。",
  "这个函数的返回值可能为空，调用它的地方却没有做任何检查。",
  "如果测试仍然失败，就把完整的日志发给我，不要只截取最后几行。",
  "我们打算在下个月之前把旧接口全部下线，所以文档也要同步更新。",
  "重构的时候注意保持向后兼容，尤其是第三方插件依赖的那部分代码。",
  "服务器的磁盘快满了，原因是上传的图片从来没有被清理过。",
  "他建议把任务拆成三个步骤：收集数据、生成摘要、写回存储。",
];
const JAPANESE = [
  "設定ファイルを読み込んだあとで、データベースへの接続方法を変更するかどうか決めてください。",
  "昨夜のリリース以降、ページの表示が遅いという報告が何件か届いています。",
  "この関数は値を返さないことがあるのに、呼び出し側では確認していません。",
  "テストがまだ失敗する場合は、最後の数行だけでなくログ全体を送ってください。",
  "来月までに古いエンドポイントを廃止する予定なので、ドキュメントも合わせて直しましょう。",
  "リファクタリングでは、外部プラグインが使っている部分の互換性を保つことが大切です。",
];
const KOREAN = [
  "설정 파일을 먼저 읽은 다음 데이터베이스 연결 방식을 바꿀지 결정해 주세요.",
  "어젯밤 배포 이후로 페이지가 너무 느리다는 사용자 의견이 여러 건 들어왔습니다.",
  "이 함수는 빈 값을 돌려줄 수 있는데 호출하는 쪽에서는 아무것도 확인하지 않습니다.",
  "테스트가 계속 실패하면 마지막 몇 줄만 보내지 말고 전체 로그를 보내 주세요.",
  "다음 달까지 예전 인터페이스를 모두 없앨 계획이라서 문서도 함께 고쳐야 합니다.",
  "서버 디스크가 거의 찼는데, 올라온 사진을 한 번도 지우지 않았기 때문입니다.",
];
const RUSSIAN = [
  "Сначала прочитайте файл настроек, а потом решите, нужно ли менять способ подключения к базе данных.",
  "После вчерашнего обновления несколько пользователей пожаловались, что страница открывается слишком медленно.",
  "Эта функция может вернуть пустое значение, но вызывающий код этого никак не проверяет.",
  "Если тесты по-прежнему не проходят, пришлите весь журнал целиком, а не только последние строки.",
  "К следующему месяцу мы хотим отключить старый интерфейс, поэтому документацию тоже придётся переписать.",
  "На сервере почти закончилось место, потому что загруженные изображения никто никогда не удалял.",
];
const GERMAN = [
  "Lies zuerst die Konfigurationsdatei und entscheide dann, ob die Verbindung zur Datenbank geändert werden muss.",
  "Seit der gestrigen Auslieferung beschweren sich einige Benutzer darüber, dass die Seite viel zu langsam lädt.",
  "Diese Funktion kann einen leeren Wert zurückgeben, was an der aufrufenden Stelle nirgends geprüft wird.",
  "Falls die Prüfungen weiterhin fehlschlagen, schick mir bitte das vollständige Protokoll und nicht nur die letzten Zeilen.",
  "Bis zum nächsten Monat wollen wir die alte Schnittstelle abschalten, deshalb muss auch die Anleitung überarbeitet werden.",
];
const COMMANDS = [
  "npm run build",
  "git rebase --continue",
  "docker compose up -d",
  "ship it",
  "the build is broken again",
];
const EMOJI = [
  "😀",
  "😂",
  "🚀",
  "🔥",
  "✅",
  "❌",
  "⚠️",
  "🎉",
  "👍",
  "👩‍💻",
  "🇩🇪",
  "🐛",
  "✨",
  "📦",
  "🔧",
  "💡",
  "🧪",
  "❤️",
];
