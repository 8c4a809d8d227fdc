"""Texts of every kind that a conversation holds, to check the estimate of tokens on.

All were written for this project. Each is long enough for a ratio to mean something.
"""

import base64
import hashlib
import json
import random


def _flowing(text: str, joint: str = " ") -> str:
    return joint.join(line.strip() for line in text.strip().splitlines())


LANGUAGES = {
    "english": _flowing("""
        Yesterday we moved the weekly review to Thursday, because half of the team is away on
        Monday and nobody wanted to wait. Please remember that Martha prefers short answers, that
        the invoice for the greenhouse has still not been paid, and that the keys are with the
        neighbour downstairs. If anything else comes up, write it under the list on the kitchen
        door; I will read it tonight when I am back from the hospital.
    """),
    "english dialogue": _flowing("""
        "You're late," she said. "I know, I'm sorry, the bus didn't come." "It's fine, we've only
        just started, haven't we?" He shrugged. "Let's see what's left, then. Who's got the map?"
        "I thought you'd taken it!" "Me? No, it was on the shelf, wasn't it?" They'd been through
        this before: nobody's fault, everybody's problem. "Right," she sighed, "we'll ask."
    """),
    "english formal": _flowing("""
        Notwithstanding the aforementioned provisions, the undersigned subcontractor acknowledges
        that reimbursement of extraordinary expenditure remains conditional upon uninterrupted
        documentation, countersigned by an independently accredited environmental engineer.
        Unilateral modifications, misrepresentations or retroactive disqualifications shall
        constitute irreconcilable nonconformity with internationally recognised standards.
    """),
    "english of short words": _flowing("""
        I am at home now and so is the cat. We can go to the shop at two if you are not ill, or we
        sit in the sun and eat the ham and the egg that Tom got us. Do not let the dog in: he has
        mud on him. Ask Ann if she has the key to my car; it was on the tin box by the bed. If it
        is not, I can run up and get my own. Let me see. Oh no, it is in my bag! We are set to go.
    """),
    "german": _flowing("""
        Gestern haben wir die wöchentliche Besprechung auf Donnerstag verschoben, weil die halbe
        Mannschaft am Montag verreist ist. Bitte denk daran, dass die Rechnung für das Gewächshaus
        noch nicht überwiesen wurde und die Wohnungsschlüssel bei der Nachbarin im Erdgeschoss
        liegen. Die Haftpflichtversicherung verlangt außerdem eine Schadensbestätigung, möglichst
        vor dem Wochenende; größere Änderungen besprechen wir später.
    """),
    "french": _flowing("""
        Hier, nous avons déplacé la réunion hebdomadaire à jeudi, parce que la moitié de l'équipe
        sera absente lundi. N'oublie pas que la facture de la serre n'a toujours pas été réglée et
        que les clés sont chez la voisine du rez-de-chaussée. S'il y a autre chose, écris-le
        au-dessous de la liste accrochée à la porte ; je la relirai ce soir, dès que je serai
        rentrée de l'hôpital, où l'on m'a déjà prévenue qu'il faudrait patienter.
    """),
    "spanish": _flowing("""
        Ayer pasamos la reunión semanal al jueves, porque la mitad del equipo estará fuera el lunes
        y nadie quería esperar. Recuerda, por favor, que todavía no hemos pagado la factura del
        invernadero y que las llaves las tiene la vecina de abajo. Si surge alguna otra cosa,
        apúntala en la lista de la cocina; ¿podrías avisar también a mi hermano? Él llegará mañana
        por la mañana, aunque según dijo, el tren suele retrasarse.
    """),
    "italian": _flowing("""
        Ieri abbiamo spostato la riunione settimanale a giovedì, perché lunedì metà del gruppo sarà
        via e nessuno aveva voglia di aspettare. Ricordati, per favore, che la fattura della serra
        non è ancora stata pagata e che le chiavi sono dalla vicina del piano di sotto. Se viene in
        mente qualcos'altro, scrivilo in fondo alla lista sulla porta della cucina; la leggerò
        stasera, appena torno dall'ospedale.
    """),
    "portuguese": _flowing("""
        Ontem passamos a reunião semanal para quinta-feira, porque metade da equipe vai estar fora
        na segunda e ninguém queria esperar. Lembre-se, por favor, de que a fatura da estufa ainda
        não foi paga e de que as chaves estão com a vizinha de baixo. Se surgir mais alguma coisa,
        escreva no fim da lista que está na porta da cozinha; vou ler hoje à noite, quando voltar
        do hospital.
    """),
    "dutch": _flowing("""
        Gisteren hebben we het wekelijkse overleg naar donderdag verplaatst, omdat de helft van de
        ploeg maandag weg is en niemand wilde wachten. Denk eraan dat de rekening van de kas nog
        steeds niet betaald is en dat de sleutels bij de buurvrouw beneden liggen. Komt er nog iets
        bij, schrijf het dan onder de lijst op de keukendeur; ik lees het vanavond, zodra ik terug
        ben uit het ziekenhuis.
    """),
    "indonesian": _flowing("""
        Kemarin kami memindahkan rapat mingguan ke hari Kamis, karena separuh tim akan pergi pada
        hari Senin dan tidak ada yang mau menunggu. Tolong ingat bahwa tagihan rumah kaca masih
        belum dibayar dan kuncinya ada pada tetangga di lantai bawah. Kalau ada hal lain, tuliskan
        di bawah daftar di pintu dapur; saya akan membacanya nanti malam sepulang dari rumah sakit.
    """),
    "polish": _flowing("""
        Wczoraj przenieśliśmy cotygodniowe spotkanie na czwartek, ponieważ w poniedziałek połowa
        zespołu wyjeżdża. Pamiętaj, proszę, że rachunek za szklarnię wciąż nie został zapłacony,
        a klucze zostawiłem u sąsiadki na parterze. Jeśli pojawi się coś jeszcze, dopisz to do
        listy wiszącej na drzwiach kuchennych; przeczytam ją wieczorem, gdy tylko wrócę ze szpitala.
        Najważniejsze, żebyś nie zapomniał zadzwonić do księgowej w sprawie zeszłorocznych
        zaległości.
    """),
    "czech": _flowing("""
        Včera jsme přesunuli pravidelnou týdenní schůzku na čtvrtek, protože v pondělí bude polovina
        týmu pryč. Nezapomeň prosím, že účet za skleník ještě nebyl zaplacen a že klíče jsou
        u sousedky v přízemí. Kdyby se objevilo ještě něco dalšího, připiš to na seznam na
        kuchyňských dveřích; přečtu si ho večer, až se vrátím z nemocnice. Také bychom měli
        příští úterý zařídit opravu střechy, než začne pršet.
    """),
    "turkish": _flowing("""
        Dün haftalık toplantıyı perşembeye aldık, çünkü pazartesi günü ekibin yarısı burada
        olmayacak. Lütfen unutma: seranın faturası hâlâ ödenmedi ve anahtarlar alt kattaki komşuda.
        Başka bir şey çıkarsa mutfak kapısındaki listenin altına yaz; hastaneden döndüğümde akşam
        okuyacağım. Çocukların öğretmeniyle görüşebilirsen çok sevinirim, geçen seferki
        değerlendirmelerini anlayamamıştım.
    """),
    "finnish": _flowing("""
        Siirsimme eilen viikkopalaverin torstaille, koska puolet ryhmästä on maanantaina matkoilla
        eikä kukaan halunnut odottaa. Muistathan, että kasvihuoneen laskua ei ole vieläkään maksettu
        ja että avaimet ovat alakerran naapurilla. Jos jotakin muuta ilmenee, kirjoita se keittiön
        oveen kiinnitettyyn luetteloon; luen sen illalla palattuani sairaalasta. Vakuutusyhtiökin
        pyysi lisäselvityksiä mahdollisimman pian.
    """),
    "vietnamese": _flowing("""
        Hôm qua chúng tôi đã chuyển cuộc họp hằng tuần sang thứ Năm, vì một nửa nhóm sẽ đi vắng vào
        thứ Hai và không ai muốn chờ đợi. Xin hãy nhớ rằng hóa đơn của nhà kính vẫn chưa được thanh
        toán và chìa khóa đang ở chỗ người hàng xóm tầng dưới. Nếu có việc gì khác, hãy viết thêm
        vào danh sách trên cửa bếp; tối nay tôi sẽ đọc khi trở về từ bệnh viện.
    """),
    "russian": _flowing("""
        Вчера мы перенесли еженедельное совещание на четверг, потому что в понедельник половина
        команды будет в отъезде. Пожалуйста, помни, что счёт за теплицу до сих пор не оплачен, а
        ключи лежат у соседки снизу. Если появится что-нибудь ещё, допиши это в список на кухонной
        двери; я прочитаю его вечером, когда вернусь из больницы. И предупреди, пожалуйста, брата.
    """),
    "ukrainian": _flowing("""
        Учора ми перенесли щотижневу нараду на четвер, бо в понеділок половина команди буде у
        від'їзді. Будь ласка, пам'ятай, що рахунок за теплицю досі не сплачено, а ключі лежать у
        сусідки знизу. Якщо з'явиться ще щось, допиши це до списку на кухонних дверях; я прочитаю
        його ввечері, коли повернуся з лікарні. Також треба попередити її чоловіка й бухгалтерку.
    """),
    "greek": _flowing("""
        Χθες μεταφέραμε την εβδομαδιαία συνάντηση για την Πέμπτη, επειδή τη Δευτέρα η μισή ομάδα θα
        λείπει. Θυμήσου, σε παρακαλώ, ότι ο λογαριασμός για το θερμοκήπιο δεν έχει πληρωθεί ακόμη
        και ότι τα κλειδιά τα έχει η γειτόνισσα από κάτω. Αν προκύψει κάτι άλλο, γράψε το στη λίστα
        που είναι στην πόρτα της κουζίνας· θα τη διαβάσω απόψε, όταν γυρίσω από το νοσοκομείο.
    """),
    "arabic": _flowing("""
        نقلنا أمس الاجتماع الأسبوعي إلى يوم الخميس لأن نصف الفريق سيكون مسافرا يوم الاثنين ولم يرغب
        أحد في الانتظار. تذكر من فضلك أن فاتورة البيت الزجاجي لم تدفع بعد وأن المفاتيح عند الجارة في
        الطابق الأرضي. إذا ظهر أي شيء آخر فاكتبه في القائمة المعلقة على باب المطبخ، وسأقرؤها مساء
        عندما أعود من المستشفى، ولا تنس أن تتصل بالمحاسبة قبل نهاية الأسبوع.
    """),
    "hebrew": _flowing("""
        אתמול העברנו את הפגישה השבועית ליום חמישי, כי ביום שני חצי מהצוות לא יהיה כאן ואף אחד לא רצה
        לחכות. בבקשה תזכור שהחשבון של החממה עדיין לא שולם ושהמפתחות נמצאים אצל השכנה מלמטה. אם יעלה
        משהו נוסף, תכתוב אותו ברשימה שעל דלת המטבח; אני אקרא אותה הערב כשאחזור מבית החולים.
    """),
    "hindi": _flowing("""
        कल हमने साप्ताहिक बैठक गुरुवार को कर दी, क्योंकि सोमवार को आधी टीम बाहर रहेगी और कोई इंतज़ार
        नहीं करना चाहता था। कृपया याद रखना कि ग्रीनहाउस का बिल अभी तक चुकाया नहीं गया है और चाबियाँ
        नीचे वाली पड़ोसन के पास हैं। अगर कुछ और सामने आए तो रसोई के दरवाज़े पर लगी सूची में लिख देना;
        अस्पताल से लौटकर मैं शाम को पढ़ लूँगी।
    """),
    "thai": _flowing(
        """
        เมื่อวานเราย้ายการประชุมประจำสัปดาห์ไปเป็นวันพฤหัสบดี เพราะวันจันทร์ครึ่งหนึ่งของทีมไม่อยู่
        และไม่มีใครอยากรอ กรุณาจำไว้ว่าใบแจ้งหนี้ของเรือนกระจกยังไม่ได้จ่าย
        และกุญแจอยู่ที่เพื่อนบ้านชั้นล่าง ถ้ามีเรื่องอื่นอีกให้เขียนไว้ในรายการที่ประตูห้องครัว
        เย็นนี้ฉันจะอ่านเมื่อกลับจากโรงพยาบาล
        """,
        "",
    ),
    "chinese": _flowing(
        """
        昨天我们把每周例会改到了星期四，因为星期一有一半的同事不在，谁也不想再等。
        请记得温室的账单还没有付，钥匙放在楼下邻居那里。如果还有别的事情，
        就写在厨房门上的清单下面，我今晚从医院回来以后会看。另外，保险公司要求我们在周末之前
        提交损失证明，麻烦你先给会计打个电话，问清楚去年的欠款到底是怎么回事，
        然后再决定要不要通知哥哥。他明天早上到，不过火车经常晚点，所以不用太早去车站。
        """,
        "",
    ),
    "chinese traditional": _flowing(
        """
        昨天我們把每週例會改到了星期四，因為星期一有一半的同事不在，誰也不想再等。
        請記得溫室的帳單還沒有付，鑰匙放在樓下鄰居那裡。如果還有別的事情，
        就寫在廚房門上的清單下面，我今晚從醫院回來以後會看。另外，保險公司要求我們在週末之前
        提交損失證明，麻煩你先給會計打個電話，問清楚去年的欠款到底是怎麼回事，
        然後再決定要不要通知哥哥。他明天早上到，不過火車經常誤點，所以不用太早去車站。
        """,
        "",
    ),
    "japanese": _flowing(
        """
        昨日、毎週の打ち合わせを木曜日に移しました。月曜日はチームの半分が不在で、
        誰も待ちたくなかったからです。温室の請求書がまだ支払われていないことと、
        鍵は下の階の隣人に預けてあることを忘れないでください。ほかに何かあれば、
        台所のドアに貼ってあるリストの下に書いておいてください。今夜、病院から戻ったら読みます。
        それから、保険会社が週末までに証明書を出してほしいと言っていました。
        """,
        "",
    ),
    "korean": _flowing("""
        어제 우리는 주간 회의를 목요일로 옮겼습니다. 월요일에는 팀의 절반이 자리를 비우고 아무도
        기다리고 싶어 하지 않았기 때문입니다. 온실 청구서가 아직 지불되지 않았고 열쇠는 아래층
        이웃에게 맡겨 두었다는 것을 꼭 기억해 주세요. 다른 일이 생기면 부엌 문에 붙어 있는 목록
        아래에 적어 두세요. 오늘 저녁 병원에서 돌아오면 읽어 보겠습니다. 보험 회사에도 주말 전에
        증명서를 보내야 하니, 먼저 회계사에게 전화해서 작년 미납금이 어떻게 된 일인지 물어봐 주세요.
    """),
    "mixed": _flowing("""
        Bitte die API-Docs (見積もり) bis Freitag prüfen: der endpoint /v2/заказы liefert bei Müller
        & Söhne noch «не найдено» statt 404. Translation für 温室 ist "greenhouse", pas "serre
        froide", d'accord? Die Überschrift bleibt: Überblick · Обзор · 概要 · Επισκόπηση. Ana said
        ¡perfecto!, so we merge at 17:30 (GMT+2) and tell 김민수 and Łukasz afterwards.
    """),
}

CODE = {
    "python": '''\
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GreenhouseReading:
    """One reading of a sensor, in degrees Celsius and percent."""

    sensor_id: str
    temperature: float
    humidity: float = 0.0
    tags: tuple[str, ...] = field(default_factory=tuple)


def average_by_sensor(readings: list[GreenhouseReading]) -> dict[str, float]:
    totals: dict[str, list[float]] = defaultdict(list)
    for reading in readings:
        if reading.temperature is None or not -40 <= reading.temperature <= 85:
            raise ValueError(f"implausible: {reading!r}")
        totals[reading.sensor_id].append(reading.temperature)
    return {name: sum(values) / len(values) for name, values in totals.items()}
''',
    "javascript": """\
import { useEffect, useState } from 'react';

export default function OrderList({ customerId, onSelect }) {
  const [orders, setOrders] = useState([]);
  const [error, setError] = useState(null);

  useEffect(() => {
    let cancelled = false;
    fetch(`/api/customers/${customerId}/orders?limit=50`)
      .then((response) => (response.ok ? response.json() : Promise.reject(response.status)))
      .then((data) => { if (!cancelled) setOrders(data.items ?? []); })
      .catch((reason) => setError(String(reason)));
    return () => { cancelled = true; };
  }, [customerId]);

  if (error !== null) return <p className="error">Could not load: {error}</p>;
  return (
    <ul>
      {orders.map((order) => (
        <li key={order.id} onClick={() => onSelect(order)}>{order.title} ({order.total})</li>
      ))}
    </ul>
  );
}
""",
    "minified javascript": (
        '!function(e,t){"object"==typeof exports?module.exports=t():e.Rt=t()}(this,function(){var '
        "n={},r=0;function o(e){if(n[e])return n[e].x;var t=n[e]={i:e,l:!1,x:{}};return a[e].call("
        "t.x,t,t.x,o),t.l=!0,t.x}o.d=function(e,t,n){o.o(e,t)||Object.defineProperty(e,t,{get:n})"
        ",r++};for(var i=0,u=[];i<256;++i)u[i]=(i+256).toString(16).substr(1);return o(o.s=17)});"
    ),
    "sql": """\
WITH recent AS (
    SELECT o.order_id, o.customer_id, o.total_cents, o.created_at,
           ROW_NUMBER() OVER (PARTITION BY o.customer_id ORDER BY o.created_at DESC) AS position
    FROM shop.orders AS o
    WHERE o.created_at >= NOW() - INTERVAL '90 days' AND o.status NOT IN ('void', 'draft')
)
SELECT c.customer_id, c.email, COUNT(*) AS orders, SUM(r.total_cents) / 100.0 AS total
FROM shop.customers AS c
LEFT JOIN recent AS r ON r.customer_id = c.customer_id AND r.position <= 5
WHERE c.deleted_at IS NULL AND c.email LIKE '%@example.com'
GROUP BY c.customer_id, c.email
HAVING COUNT(*) > 3
ORDER BY total DESC NULLS LAST
LIMIT 100 OFFSET 20;
""",
    "shell": """\
#!/usr/bin/env bash
set -euo pipefail
readonly BACKUP_DIR="${BACKUP_DIR:-/var/backups/orders}"
for file in "$BACKUP_DIR"/*.sql.gz; do
  [[ -s "$file" ]] || { echo "empty: $file" >&2; exit 1; }
  name="$(basename "${file%.sql.gz}")"
  zcat "$file" | grep -vE '^--' | awk -F'\\t' '{ n[$1] += $3 } END { for (k in n) print n[k] }' \\
    | sort -k2 -nr | head -n 20 > "/tmp/${name}.top"
  docker exec -i db psql -U "${PGUSER:?}" -d shop -c "\\copy top FROM STDIN" < "/tmp/${name}.top"
done
curl -fsSL -X POST -H 'Content-Type: application/json' -d '{"ok": true}' "http://localhost:8080/done"
""",
    "rust": """\
impl<'a, T: Read + Seek> Decoder<'a, T> {
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, DecodeError> {
        let mut header = [0u8; 16];
        match self.source.read_exact(&mut header) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(e) => return Err(DecodeError::Io(e)),
        }
        let len = u32::from_le_bytes(header[4..8].try_into().unwrap()) as usize;
        self.buffer.resize(len.min(MAX_FRAME_LEN), 0);
        self.source.read_exact(&mut self.buffer)?;
        Ok(Some(Frame { kind: header[0], body: &self.buffer[..] }))
    }
}
""",
    "html": """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><link rel="stylesheet" href="/static/css/main.8f3a1c.css"></head>
<body class="page page--orders">
  <nav aria-label="Main"><a href="/orders?page=2&amp;sort=-date">Orders</a></nav>
  <table id="orders" data-count="3">
    <tr><th scope="col">Id</th><th>Date</th><th>Total</th></tr>
    <tr><td>A-7781</td><td>2026-03-14</td><td>&euro;&nbsp;149.90</td></tr>
    <tr><td>A-7782</td><td>2026-03-15</td><td>&euro;&nbsp;12.00</td></tr>
  </table>
</body>
</html>
""",
    "diff": """\
diff --git a/src/orders/totals.py b/src/orders/totals.py
index 83db48f..bf269f4 100644
--- a/src/orders/totals.py
+++ b/src/orders/totals.py
@@ -12,9 +12,11 @@ class Totals:
     def add(self, order: Order) -> None:
-        self.sum += order.total
-        self.count += 1
+        if order.is_void:
+            return
+        self.sum_cents += order.total_cents
+        self.count += 1

     @property
-    def mean(self) -> float:
-        return self.sum / self.count
+    def mean_cents(self) -> float:
+        return self.sum_cents / max(1, self.count)
""",
    "traceback": """\
Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 196, in _run_module_as_main
    return _run_code(code, main_globals, None,
  File "/home/ana/shop/orders/__main__.py", line 41, in <module>
    main(sys.argv[1:])
  File "/home/ana/shop/orders/totals.py", line 88, in average_by_sensor
    return {name: sum(values) / len(values) for name, values in totals.items()}
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ZeroDivisionError: division by zero
""",
    "log": """\
2026-03-14T09:26:53.589Z INFO  [http-nio-8080-exec-7] c.e.OrderController - GET /orders/7781 200 9ms
2026-03-14T09:26:53.702Z WARN  [pool-3-thread-12] c.e.s.StockClient - retry 2/5 in 250 ms: Timeout
2026-03-14T09:26:54.118Z ERROR [pool-3-thread-12] c.e.s.StockClient - giving up: sku=GH-2040-B qty=7
10.0.4.17 - - [14/Mar/2026:09:26:55 +0000] "POST /login HTTP/1.1" 302 512 "-" "curl/8.5.0"
Mar 14 09:27:01 web-02 kernel: [81234.567890] eth0: link up, 1000 Mbps, full duplex, lpa 0xC5E1
Mar 14 09:27:02 web-02 sshd[20817]: Failed password for user admin from 192.0.2.44 port 51122 ssh2
""",
    "markdown": """\
# Release 2.4.0

**Breaking:** `totals()` now returns *cents*; see [the guide](docs/guide.md#totals).

- [x] Migrate `orders.total` → `orders.total_cents`
- [ ] Tell the warehouse (they still use `v1`)

| name      | before | after |
|-----------|-------:|------:|
| p50 (ms)  |   12.4 |   9.8 |
| p99 (ms)  |  180.0 |  61.3 |

> Nothing else changed. Run `make check` before you push.
""",
    "yaml": """\
version: "3.9"
services:
  web:
    image: registry.example.com/shop/web:2.4.0
    restart: unless-stopped
    environment:
      - DATABASE_URL=postgres://shop:secret@db:5432/shop
      - LOG_LEVEL=info
    ports: ["8080:8080"]
    depends_on: {db: {condition: service_healthy}}
    healthcheck:
      test: ["CMD", "curl", "-f", "http://localhost:8080/health"]
      interval: 30s
      retries: 5
""",
}

_ORDERS = [
    {
        "id": f"A-{7781 + 13 * index}",
        "customer": {"name": name, "email": f"{name.lower()}@example.com", "vip": index % 2 == 0},
        "items": [{"sku": f"GH-{2040 + index}-B", "quantity": index + 1, "price": 19.9 * index}],
        "note": None,
        "created_at": f"2026-03-{14 + index}T09:26:5{index}Z",
    }
    for index, name in enumerate(["Ana", "Bruno", "Chloe", "Dmitri"])
]

_CHANCE = random.Random(20260314)
_BYTES = _CHANCE.randbytes(600)


def _uuid() -> str:
    digits = _CHANCE.randbytes(16).hex()
    return "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])


DATA = {
    "compact json": json.dumps(_ORDERS, separators=(",", ":")),
    "json": json.dumps(_ORDERS),
    "pretty json": json.dumps(_ORDERS, indent=2),
    "deep json": json.dumps({"a": [[[1, 2], [3, [4, {"b": []}]]]] * 9, "c": {"d": {"e": {}}}}),
    "csv": "id,name,email,quantity,price,date\n"
    + "".join(
        f'{index},"Greenhouse, {index}x",user{index}@example.com,{index * 7 % 40},'
        f"{index * 3.75:.2f},2026-03-{index % 28 + 1:02}\n"
        for index in range(12)
    ),
    "tsv": "\n".join(
        "\t".join(f"{_CHANCE.uniform(-90, 90):.4f}" for _ in range(5)) for _ in range(12)
    ),
    "urls": """\
https://www.example.com/shop/orders/7781?utm_source=mail&utm_campaign=spring-2026#items
https://api.example.org/v1/users/42/repos?per_page=100&page=3&sort=updated&direction=desc
http://localhost:8080/static/js/vendor.4f9b2c1d.chunk.js
https://en.wikipedia.example/wiki/Greenhouse_(disambiguation)?oldid=118273645
s3://backups-eu-west-1/shop/2026/03/14/orders-0926.parquet
mailto:ana.lopez+orders@example.co.uk?subject=Order%20A-7781%20is%20late
""",
    "paths": r"""
/home/ana/projects/shop/src/main/java/com/example/shop/orders/OrderController.java
/usr/lib/python3.11/site-packages/numpy/core/_multiarray_umath.cpython-311-x86_64.so
C:\Users\Ana\AppData\Local\Programs\Python\Python311\Lib\site-packages\pip\_vendor
./node_modules/@babel/plugin-transform-runtime/lib/get-runtime-path/index.js
../../tests/fixtures/orders_2026-03-14.final(2).xlsx
""",
    "uuids": "\n".join(_uuid() for _ in range(12)),
    "hex": "\n".join(hashlib.sha256(bytes([index])).hexdigest() for index in range(8)),
    "upper hex": _BYTES[:200].hex(" ").upper(),
    "hex dump": "\n".join(
        f"{at:08x}: {_BYTES[at : at + 16].hex(' ', 2)}" for at in range(0, 256, 16)
    ),
    "base64": base64.b64encode(_BYTES).decode(),
    "base64 lines": base64.encodebytes(_BYTES).decode(),
    "base64 of text": base64.b64encode(LANGUAGES["english"].encode()).decode(),
    "base32": base64.b32encode(_BYTES[:300]).decode(),
    "ids": "\n".join(
        f"toolu_{base64.b64encode(_CHANCE.randbytes(18)).decode().replace('/', 'x')}"
        for _ in range(12)
    ),
    "numbers": " ".join(str(_CHANCE.randrange(10 ** _CHANCE.randint(1, 9))) for _ in range(60)),
    "decimals": ", ".join(f"{_CHANCE.gauss(0, 100):.6f}" for _ in range(40)),
    "digits": "".join(str(_CHANCE.randrange(10)) for _ in range(500)),
    "dates": "\n".join(
        f"2026-{index % 12 + 1:02}-{index * 5 % 28 + 1:02}T{index:02}:{index * 7 % 60:02}:00+02:00"
        for index in range(12)
    ),
    "phone numbers": "\n".join(
        f"+49 (0) 30 {_CHANCE.randrange(10**6):06} - {index}; 555-{_CHANCE.randrange(10**4):04}"
        for index in range(10)
    ),
    "password soup": "".join(chr(_CHANCE.randrange(33, 127)) for _ in range(400)),
    "constants": _flowing("""
        MAX_FRAME_LEN DEFAULT_TIMEOUT_SECONDS HTTP_STATUS_UNPROCESSABLE_ENTITY ENOENT
        EWOULDBLOCK GREENHOUSE_SENSOR_IDS PGSSLROOTCERT NSURLErrorCannotFindHost
        XMLHttpRequest IOException getElementsByClassName setDefaultUncaughtExceptionHandler
        AbstractSingletonProxyFactoryBean __init_subclass__ PyUnicode_AsUTF8AndSize
        SQLITE_IOERR_SHMOPEN kCFStringEncodingUTF8
    """),
    "shouting": LANGUAGES["english"].upper(),
}

ODD = {
    "one sentence": "the cat sat on the mat " * 50,
    "emoji": "😀😂🥲😍🤔😴🤖👻🎉🔥💧🌱🌻🏠🚗✈️⏰📅📌✅❌⚠️❤️💔👍👎🙏👏" * 4,
    "emoji in text": (
        "Great news 🎉🎉 the order is here! 📦 See you at 5 ⏰, bring cake 🍰 and love ❤️ 👋\n"
    )
    * 4,
    "zwj emoji": "👩‍👧 👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻 🧑‍🚀 👩‍❤️‍👨 🙋🏻‍♀️ 🤷🏿‍♂️ 🐻‍❄️ 👁️‍🗨️ " * 5,
    "flags": "🇩🇪🇫🇷🇪🇸🇵🇱🇨🇿🇹🇷🇺🇦🇬🇷🇮🇱🇮🇳🇹🇭🇻🇳🇨🇳🇯🇵🇰🇷🇫🇮🇺🇸🇧🇷" * 5,
    "keycaps": "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣0️⃣#️⃣*️⃣🔟🅰️🆎🈚㊗️" * 5,
    "spaces": "a" + " " * 600 + "b" + " " * 200 + "c",
    "blank lines": "first\n\n\n\n\n\n\n\nsecond" + "\n" * 300 + "third\n",
    "windows lines": "name: value\r\n\r\nother: thing\r\n\t\tindented\r\n" * 10,
    "tabs": "\t\t\tif x:\n\t\t\t\treturn y\n\n" * 10,
    "one letter": "a" * 500,
    "one capital": "A" * 500,
    "one mark": "=" * 500,
    "dashes": "-" * 79 + "\n" + "_" * 79 + "\n" + "*" * 79 + "\n" + "." * 79 + "\n",
    "one digit": "0" * 500,
    "one accent": "é" * 300,
    "laughing": "hahahahahaha lolololol noooooooooo yesssssssss " * 8,
    "box drawing": (
        "┌──────────┬──────┐\n│ name     │ p50  │\n├──────────┼──────┤\n└──────────┴──────┘\n"
    )
    * 4,
    "tree": "├── src\n│   ├── orders\n│   │   └── totals.py\n│   └── __init__.py\n└── tests\n" * 4,
    "block art": "▁▂▃▄▅▆▇█▇▆▅▄▃▂▁ ░▒▓█▓▒░ ●○◆◇■□▲△▼▽★☆ ←↑→↓↔↕⇐⇒⇔ " * 5,
    "mathematics": (
        "∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−f(a)|<ε; ∑ᵢ₌₁ⁿ xᵢ² ≤ ∫₀^∞ e^{−t}·√t dt ≈ 0.886… ∈ ℝ∖ℚ, α·β≠γ² "
    )
    * 4,
    "latex": (
        r"\begin{align} \nabla \cdot \mathbf{E} &= \frac{\rho}{\varepsilon_0} "
        r"\\ \oint_{\partial S} \mathbf{B} \cdot d\mathbf{l} &= \mu_0 I "
        r"\end{align} "
    )
    * 4,
    "quotes": (
        "“Well,” she said — ‘why not…?’ – «да», „ja“, ‹si› • ¿qué? "
        "¡no! © 2026 ™ ® § ¶ 20 °C ± 5 % £3 €4 ¥5 "
    )
    * 4,
    "fullwidth": (
        "ＡＢＣ　１２３　ｆｕｌｌ　ｗｉｄｔｈ！？（はい）「カタカナ」ｶﾀｶﾅ、全角：１２：３０～"
    )
    * 6,
    "ansi": (
        "\x1b[1;32mPASS\x1b[0m tests/test_a.py \x1b[2m(0.12 s)\x1b[0m\n\x1b[31m"
        "FAIL\x1b[0m tests/test_b.py\n"
    )
    * 6,
    "combining": (
        "e\u0301a\u0300o\u0302 n\u0303u\u0308 c\u0327 a\u030a Z\u0351\u036b"
        "\u0343a\u0322\u0348l\u0320g\u0317o\u0318 "
    )
    * 8,
}

SAMPLES = {**LANGUAGES, **CODE, **DATA, **ODD}
