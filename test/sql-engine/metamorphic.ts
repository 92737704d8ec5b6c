// Relations between the answers of random queries that are true whatever the rows are. Each answer must also equal that of the engine without its
// optimizers, from memory, from files and from both, and the store's if it has one.

import { type Grammar, Writer, written } from '../agreement/grammar.ts'
import { constants, values } from '../agreement/sql-values.ts'
import { seededRandom } from '../support/random.ts'
import { type Answer, asSet, type Planted, places, type Worlds } from './worlds.ts'

/** Rules of the agreement grammar that use columns missing here. */
const ofOthers = /^(?:n|T|d) |\bj\b/
const known = Object.entries({ ...constants, ...values }).map(
  ([kind, rules]) => [kind, rules.filter((rule) => !ofOthers.test(rule) && !/CURRENT_|LOCAL/.test(rule))] as const,
)

const grammar: Grammar = {
  ...Object.fromEntries(known),
  textColumn: ['tag', 'site', 's'],
  longColumn: ['l', 'k', 'b'],
  doubleColumn: ['V', '"none"'],
  timeColumn: ['__time'],
  number: ['l', 'k', 'V', 'l', 'k', '"none"'],
  textValue: ["'x'", "'a'", "'b'", "''", "'ab'"],
  numberValue: ['5', '1.5', '0', '7', '1', '-3'],
  // Conditions that WHERE and SELECT evaluate equally: without casts, and without texts compared with numbers.
  plain: [
    '<number> <compared> <numberValue>',
    '<textColumn> <compared> <textValue>',
    '<number> <compared> <number>',
    '<textColumn> = <textColumn>',
    '<number> IS NULL',
    '<textColumn> IS NOT NULL',
    '<number=x> IS DISTINCT FROM <numberValue> OR <@x> <compared> <numberValue>',
    '<textColumn=x> IS DISTINCT FROM <textValue> OR <@x> <compared> <textValue>',
    '<number> IS NOT DISTINCT FROM <number>',
    '<textColumn> IS NOT DISTINCT FROM <textValue>',
    '(<number=x> = <number=y>) OR (<@x> IS NULL AND <@y> IS NULL)',
    '(<textColumn=x> = <textColumn=y>) OR (<@x> IS NULL AND <@y> IS NULL)',
    '<number> IN (1, <numberValue>)',
    '<textColumn> NOT IN (<textValue>, <textValue>)',
    '<number> BETWEEN <numberValue> AND <number>',
    "<textColumn> LIKE 'a%'",
    "TIME_FLOOR(__time, 'P1D') <> TIMESTAMP '2026-01-02 00:00:00'",
    "__time >= TIMESTAMP '2026-01-03 00:00:00'",
    'NOT (<plain>)',
    '(<plain>) AND (<plain>)',
    '(<plain>) OR (<plain>)',
    '(<plain>) IS TRUE',
    '(<plain>) IS NOT FALSE',
    '(<plain>) IS UNKNOWN',
    'CASE WHEN <plain> THEN <plain> ELSE <plain> END',
    'l IN (SELECT k FROM plant WHERE <plain>)',
  ],
  aggregated: ['COUNT(*)', 'SUM(k)', 'MAX(V)', 'MIN(l)', 'COUNT(s)', 'AVG(k)', 'SUM(l) FILTER (WHERE <plain>)'],
  key: ['tag', 'site', 's', 'l', 'k', "tag || '-'", 'l + 1'],
  keys: ['<key>', '<key>, <key>', '<key=x>, <@x>', '<key=x>, <key>, <@x>'],
  frame: [
    'ROWS BETWEEN 2 PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW',
    'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
  ],
  window: [
    '<aggregated> OVER (PARTITION BY <keys>)',
    '<aggregated> OVER (PARTITION BY <keys>)',
    '<aggregated> OVER ()',
    '<aggregated> OVER (PARTITION BY <keys> ORDER BY i <frame>)',
    'ROW_NUMBER() OVER (PARTITION BY <keys> ORDER BY i)',
    'LAG(k) OVER (PARTITION BY <keys> ORDER BY i DESC)',
    'RANK() OVER (PARTITION BY <keys> ORDER BY l)',
  ],
  limited: [
    'SELECT i, tag, k FROM big ORDER BY __time LIMIT 100 OFFSET 50',
    'SELECT MAX(i) AS i, tag, k FROM big GROUP BY tag, k ORDER BY k DESC, tag LIMIT 5',
    'SELECT DISTINCT l AS i, tag, k FROM big ORDER BY k DESC, tag, i LIMIT 5 OFFSET 1',
  ],
  joined: ['INNER', 'LEFT', 'RIGHT', 'FULL'],
  on: [
    'x.tag = y.t',
    'x.l = y.m',
    'x.s IS NOT DISTINCT FROM y.t',
    'x.s = y.t AND x.l = y.m',
    '(x.s = y.t) OR (x.s IS NULL AND y.t IS NULL)',
  ],
  // Any query: it is run in all ways, and nothing else is known of its answer.
  query: [
    'SELECT i, CASE WHEN <truth> THEN 1 WHEN NOT (<truth>) THEN 0 END AS c FROM plant WHERE <truth>',
    'SELECT i FROM plant WHERE <truth>',
    'SELECT <key=x> AS c, <aggregated> AS d, <aggregated> AS e FROM plant WHERE <plain> GROUP BY <@x> HAVING COUNT(*) > 1 OR MAX(k) IS DISTINCT FROM 5',
    'SELECT tag, s, <aggregated> AS c, GROUPING(tag, s) AS g FROM plant WHERE <plain> GROUP BY CUBE (tag, s)',
    'SELECT i, y.j FROM (SELECT * FROM plant WHERE <plain>) AS x <joined> JOIN (SELECT i AS j, s AS t, k AS m FROM plant WHERE <plain>) AS y ON <on>',
    'SELECT COUNT(*) AS n, SUM(y.j) AS c FROM (SELECT * FROM plant WHERE <plain>) AS x <joined> JOIN (SELECT DISTINCT s AS t, k AS m, l AS j FROM plant) AS y ON <on>',
    'SELECT i FROM (SELECT *, <window> AS w, <window> AS v FROM plant) AS q WHERE w <compared> <numberValue> OR <plain>',
    'SELECT COUNT(*) AS n FROM big WHERE k IS DISTINCT FROM <numberValue> OR k <compared> <numberValue>',
    'SELECT i FROM plant WHERE <plain> UNION ALL SELECT i FROM plant WHERE <plain>',
    'WITH w AS (SELECT tag, <aggregated> AS c FROM plant GROUP BY tag) SELECT x.tag, x.c, y.c AS d FROM w AS x <joined> JOIN w AS y ON x.tag = y.tag AND x.c IS NOT DISTINCT FROM y.c',
    'SELECT i FROM plant WHERE k > (SELECT MIN(k) FROM plant WHERE <plain>)',
  ],
}
const writer = new Writer(grammar)

export class Metamorphic {
  readonly #worlds: Worlds
  readonly #planted: Planted | undefined
  asked = 0
  refused = 0

  constructor(worlds: Worlds, planted?: Planted) {
    this.#worlds = worlds
    this.#planted = planted
  }

  /** The first violated relation of a seed; null if all are true. */
  async check(seed: number, relation = relations[seed % relations.length]!): Promise<string | null> {
    const random = seededRandom(seed)
    const make = (kind: string): string => written(writer.make(kind, 2 + random.below(4), random))
    try {
      await relation((text) => this.#ask(text), make)
      return null
    } catch (error) {
      if (!(error instanceof Refused)) return `seed ${seed}: ${error}`
      this.refused += 1
      return null
    }
  }

  async #ask(text: string): Promise<Answer> {
    const right = await this.#worlds.unoptimized(text).catch((error: unknown) => {
      throw new Refused(text, { cause: error })
    })
    this.asked += 1
    for (const place of places) {
      // The filter of a join applies only in some runs, so joins run twice.
      for (let time = /JOIN|SELECT.*SELECT/.test(text) ? 2 : 1; time > 0; time--)
        same(await this.#worlds.sql(text, place, this.#planted), right, `${text}\nwith its optimizers, rows ${place}`)
      const own = await this.#worlds.byStore(text, place)
      if (own !== null) same(own, right, `${text}\nby the store, rows ${place}`)
    }
    return right
  }
}

/** A query that is refused, or that fails at some row, proves nothing. */
class Refused extends Error {}

function same(answer: Answer, right: Answer, what: string): void {
  const [one, other] = [asSet(answer), asSet(right)]
  if (String(one) === String(other)) return
  const cut = (rows: readonly string[], others: readonly string[]): string =>
    rows
      .filter((row) => !others.includes(row))
      .slice(0, 5)
      .join(' ')
  throw new Error(`${what}: ${one.length} rows, ${cut(one, other)}\nright: ${other.length} rows, ${cut(other, one)}`)
}

type Ask = (text: string) => Promise<Answer>
type Make = (kind: string) => string

type Relation = (ask: Ask, make: Make) => Promise<void>

async function optimizersChangeNothing(ask: Ask, make: Make): Promise<void> {
  await ask(make('query'))
}

/** The rows where a condition is true, false and unknown are all rows, and SELECT returns the same value of it. */
export async function threeParts(ask: Ask, make: Make): Promise<void> {
  const p = make('plain')
  const parts = [p, `NOT (${p})`, `(${p}) IS NULL`]
  const rows: Answer[] = []
  for (const part of parts) rows.push(await ask(`SELECT i FROM plant WHERE ${part}`))
  same(rows.flat(), await ask('SELECT i FROM plant'), `the three parts of ${p}`)
  const reported = await ask(`SELECT i, CASE WHEN ${p} THEN 0 WHEN NOT (${p}) THEN 1 ELSE 2 END AS c FROM plant`)
  for (const [place, part] of parts.entries())
    same(
      reported.filter(([, c]) => c === place).map(([i]) => [i]),
      rows[place]!,
      `what SELECT says of ${part}`,
    )
}

/** A window has the same result alone and next to another window. */
export async function windowAlone(ask: Ask, make: Make): Promise<void> {
  const [one, other, where] = [make('window'), make('window'), make('plain')]
  const from = `FROM plant WHERE ${where}`
  const both = await ask(`SELECT i, ${one} AS c, ${other} AS d ${from}`)
  same(
    await ask(`SELECT i, ${one} AS c ${from}`),
    both.map(([i, c]) => [i, c]),
    `${one} beside ${other}`,
  )
  same(
    await ask(`SELECT i, ${other} AS d ${from}`),
    both.map(([i, , d]) => [i, d]),
    `${other} beside ${one}`,
  )
}

/** The rows before and after a moment are all rows. */
async function twoTimes(ask: Ask, make: Make): Promise<void> {
  const [p, key, aggregated] = [make('plain'), make('key'), make('aggregated')]
  const early = `SELECT * FROM plant WHERE __time < TIMESTAMP '2026-01-03 06:30:00'`
  const union = `(${early} UNION ALL ${early.replace('<', '>=')}) AS q`
  const rows = `SELECT i, ${key} AS c FROM`
  same(await ask(`${rows} ${union} WHERE ${p}`), await ask(`${rows} plant WHERE ${p}`), `two times, ${p}`)
  const groups = (from: string): string =>
    `SELECT ${key} AS c, ${aggregated} AS d FROM ${from} WHERE ${p} GROUP BY ${key}`
  same(await ask(groups(union)), await ask(groups('plant')), `two times, ${aggregated}`)
}

/** LIMIT and OFFSET return a slice of the same order. */
async function cutOrder(ask: Ask, make: Make): Promise<void> {
  const [p, key, window] = [make('plain'), make('key'), make('window')]
  const ordered = `SELECT i, c, w FROM (SELECT i, ${key} AS c, ${window} AS w FROM plant WHERE ${p}) AS q ORDER BY c DESC, i`
  const whole = await ask(ordered)
  const [offset, limit] = [whole.length % 7, (whole.length % 11) + 1]
  const piece = await ask(`${ordered} LIMIT ${limit} OFFSET ${offset}`)
  same(piece, whole.slice(offset, offset + limit), `LIMIT ${limit} OFFSET ${offset} of ${ordered}`)
}

/** A condition outside a LIMIT applies only to the rows within the limit. */
export async function belowLimit(ask: Ask, make: Make): Promise<void> {
  const [limited, least] = [make('limited'), Number(make('above')) - 2]
  const rows = await ask(limited)
  const idsOf = (some: Answer): Answer => some.map(([i]) => [i])
  const set = `SELECT tag FROM names WHERE i ${make('compared')} ${make('above')}`
  const sought = (await ask(set)).map(([tag]) => tag)
  const among = idsOf(rows.filter(([, tag]) => sought.includes(tag)))
  same(await ask(`SELECT i FROM (${limited}) AS q WHERE tag IN (${set})`), among, `IN of ${limited}`)
  const joined = `SELECT q.i FROM (${limited}) AS q INNER JOIN (${set}) AS y ON q.tag = y.tag`
  same(await ask(joined), among, `a join of ${limited}`)
  const above = `SELECT i FROM (${limited}) AS q WHERE q.k > (SELECT MIN(i) + ${least} FROM names)`
  const greater = rows.filter(([, , k]) => k !== null && Number(k) > least)
  same(await ask(above), idsOf(greater), `a number beside ${limited}`)
}

const relations: readonly Relation[] = [
  optimizersChangeNothing,
  optimizersChangeNothing,
  threeParts,
  windowAlone,
  twoTimes,
  cutOrder,
  belowLimit,
]
