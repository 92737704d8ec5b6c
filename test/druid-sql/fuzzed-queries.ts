// Random SQL queries: every function, aggregate and window function of the catalogue, and every clause, with operands at every edge, mostly of the types
// that they accept, sometimes of others, too many or too few.

import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { aggregates } from '../../src/druid-sql/functions/aggregates.ts'
import { catalogue as scalars } from '../../src/druid-sql/functions/catalogue.ts'
import { windowAggregates, windowFunctions } from '../../src/druid-sql/functions/windows.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { Problem } from '../../src/model/problem.ts'
import { seededRandom } from '../support/random.ts'
import { castOf, castTypes, columnsOf, type Kind, operandKinds, plain, results, valueKinds } from './fuzzed-operands.ts'
import {
  counts,
  type Draw,
  expressions,
  formats,
  fractions,
  fuzzedEntity,
  fuzzedFields,
  oneOf,
  paths,
  patterns,
  perhaps,
  periods,
  texts,
  units,
  wholeNumbers,
  zones,
} from './fuzzed-values.ts'

/** The names of all functions. */
export const fuzzedNames: readonly string[] = [...scalars.keys(), ...aggregates.keys(), ...windowFunctions.keys()]

/** A function that, in most cases, returns this type. */
function functionOf(draw: Draw, kind: Kind): string {
  return perhaps(draw, 5) ? oneOf(draw, [...scalars.keys()]) : oneOf(draw, results.get(kind) ?? plain)
}

/** The context of an expression. */
interface Around {
  /** Whether columns may be used. */
  readonly columns: boolean
  readonly depth: number
}

class QueryWriter {
  readonly #draw: Draw
  #calls = 0

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** A query that calls this function. */
  queryOf(name: string): string {
    const around = { columns: true, depth: 1 + this.#draw(2) }
    const isWindow = windowFunctions.has(name)
    const isAggregate = aggregates.has(name)
    const call = isWindow
      ? this.#window(around, name)
      : isAggregate
        ? this.#aggregate(around, name)
        : this.#call('any', around, name)
    const tail = isAggregate ? oneOf(this.#draw, ['', ' GROUP BY T', ' GROUP BY s, l']) : ''
    return `SELECT ${call} AS c0 FROM ${this.#from()}${tail}`
  }

  query(): string {
    const draw = this.#draw
    switch (draw(12)) {
      case 0:
        return `SELECT ${this.#items({ columns: false, depth: 3 })}`
      case 1:
        return `WITH w AS (${this.#select()}) SELECT * FROM w${this.#tail('c0')}`
      case 2:
        return `SELECT c0 FROM (${this.#select()}) AS q${this.#tail('c0')}`
      case 3:
        return `${this.#select()} UNION ALL ${this.#select()}`
      default:
        return this.#select()
    }
  }

  #select(): string {
    const draw = this.#draw
    const around = { columns: true, depth: 2 + draw(2) }
    const from = this.#from()
    const where = perhaps(draw, 40) ? ` WHERE ${this.value('truth', around)}` : ''
    switch (draw(5)) {
      case 0:
      case 1:
        return this.#grouped(from, where)
      case 2:
        return `SELECT ${this.#window(around)} AS c0, ${this.#window(around)} AS c1 FROM ${from}${where}`
      default:
        return `SELECT ${perhaps(draw, 10) ? 'DISTINCT ' : ''}${this.#items(around)} FROM ${from}${where}${this.#tail('__time')}`
    }
  }

  #grouped(from: string, where: string): string {
    const draw = this.#draw
    const around = { columns: true, depth: 1 + draw(2) }
    const key = this.value(oneOf(draw, valueKinds), { ...around, depth: draw(3) })
    const aggregates = Array.from({ length: 1 + draw(2) }, (_, index) => `${this.#aggregate(around)} AS c${index}`)
    const sets = [
      '',
      '',
      `GROUP BY ${key}`,
      `GROUP BY 1`,
      `GROUP BY ROLLUP (T, ${key})`,
      `GROUP BY CUBE (T, s)`,
      `GROUP BY GROUPING SETS ((T), (${key}), ())`,
    ]
    const grouping = oneOf(draw, sets)
    const isByPlace = grouping === 'GROUP BY 1'
    const items = isByPlace ? [`${key} AS k`, ...aggregates] : aggregates
    const having = perhaps(draw, 25)
      ? ` HAVING ${this.#aggregate(around)} ${this.#comparison()} ${this.value('long', { columns: false, depth: 0 })}`
      : ''
    return `SELECT ${items.join(', ')} FROM ${from}${where} ${grouping}${having}${this.#tail('c0')}`
  }

  #from(): string {
    const draw = this.#draw
    const flat = { columns: false, depth: 1 }
    const { columns } = { columns: { columns: true, depth: 1 } }
    switch (draw(14)) {
      case 0:
        return `${fuzzedEntity} AS x ${oneOf(draw, ['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])} (SELECT T AS t2, l AS l2, V AS v2 FROM ${fuzzedEntity}) AS y ON ${oneOf(draw, ['x.T = y.t2', 'x.l = y.l2', 'x.V = y.l2 AND x.T = y.t2', 'x.l > y.l2', `x.T = y.t2 AND ${this.value('truth', columns)}`])}`
      case 1:
        return `${fuzzedEntity} CROSS JOIN UNNEST(${this.value('array', { columns: perhaps(draw, 50), depth: 1 })}) AS u(e)`
      case 2:
        return `(SELECT *, ${this.value('any', columns)} AS z FROM ${fuzzedEntity}) AS x`
      case 3:
        return `(VALUES (TIMESTAMP '2026-01-01 00:00:00', ${this.value('text', flat)}, ${this.value('text', flat)}, ${this.value('long', flat)}, ${this.value('long', flat)}, ${this.value('time', flat)}, ${this.value('double', flat)})) AS x(__time, T, s, l, b, ts, V)`
      default:
        return fuzzedEntity
    }
  }

  #tail(order: string): string {
    const draw = this.#draw
    const by = perhaps(draw, 25)
      ? ` ORDER BY ${oneOf(draw, [order, order, '1', '1', perhaps(draw, 90) ? order : '99'])}${oneOf(draw, ['', ' DESC', ' NULLS LAST', ' ASC NULLS FIRST'])}`
      : ''
    const limit = perhaps(draw, 25)
      ? ` LIMIT ${oneOf(draw, ['0', '1', '5', '2147483648', perhaps(draw, 90) ? '7' : '9223372036854775807'])}`
      : ''
    const offset = perhaps(draw, 10) ? ` OFFSET ${oneOf(draw, ['0', '3', '9999999999'])}` : ''
    return by + limit + offset
  }

  #items(around: Around): string {
    return Array.from({ length: 1 + this.#draw(3) }, (_, index) => `${this.value('any', around)} AS c${index}`).join(
      ', ',
    )
  }

  #aggregate(around: Around, name = oneOf(this.#draw, [...aggregates.keys()])): string {
    const draw = this.#draw
    if (name === 'COUNT' && perhaps(draw, 50)) return 'COUNT(*)'
    const distinct = perhaps(draw, 10) ? 'DISTINCT ' : ''
    const order = perhaps(draw, 8) ? ` ORDER BY ${this.value('any', { ...around, depth: 0 })}` : ''
    const call = `${name}(${distinct}${this.#operands(name, aggregates.get(name)!.count, around)}${order})`
    const filtered = perhaps(draw, 15) ? `${call} FILTER (WHERE ${this.value('truth', around)})` : call
    return perhaps(draw, 25) ? this.#within(filtered, around) : filtered
  }

  /** Passes the value to a function, as its first operand. */
  #within(value: string, around: Around): string {
    const name = oneOf(this.#draw, plain)
    const [least, most] = scalars.get(name)!.count
    const count = Math.min(most, Math.max(least, 1))
    const kinds = operandKinds.get(name)
    const rest = Array.from({ length: count - 1 }, (_, index) =>
      this.#operand(kinds?.[Math.min(index + 1, kinds.length - 1)] ?? 'any', { columns: false, depth: 0 }),
    )
    void around
    return `${name}(${[value, ...rest].join(', ')})`
  }

  #window(around: Around, name = oneOf(this.#draw, [...windowFunctions.keys(), ...windowAggregates])): string {
    const draw = this.#draw
    const count = windowFunctions.get(name)?.count ?? ([1, 1] as const)
    const partition = perhaps(draw, 50) ? `PARTITION BY ${this.value('any', { ...around, depth: 1 })}` : ''
    const order = perhaps(draw, 70)
      ? ` ORDER BY ${this.value('any', { ...around, depth: 1 })}${oneOf(draw, ['', ' DESC'])}`
      : ''
    const isRange = perhaps(draw, 40)
    const ends = ['UNBOUNDED PRECEDING', 'UNBOUNDED FOLLOWING', 'CURRENT ROW']
    const bounds =
      isRange && perhaps(draw, 95)
        ? ends
        : [
            'UNBOUNDED PRECEDING',
            'UNBOUNDED FOLLOWING',
            'CURRENT ROW',
            '1 PRECEDING',
            '2 FOLLOWING',
            '0 PRECEDING',
            '999999999999 FOLLOWING',
            '-1 PRECEDING',
          ]
    const bound = (): string => oneOf(draw, bounds)
    const frame = perhaps(draw, 45)
      ? ` ${isRange ? 'RANGE' : 'ROWS'} ${perhaps(draw, 75) ? `BETWEEN ${bound()} AND ${bound()}` : bound()}`
      : ''
    return `${name}(${this.#operands(name, count, around)}) OVER (${partition}${order}${frame})`
  }

  #operands(name: string, [least, most]: readonly [number, number], around: Around): string {
    const draw = this.#draw
    const wanted = Math.min(least + draw(Math.min(most, least + 2) - least + 1), 6)
    const count = perhaps(draw, 4) ? draw(5) : wanted
    const kinds = operandKinds.get(name)
    const inner = { ...around, depth: around.depth - 1 }
    return Array.from({ length: count }, (_, index) => {
      const kind = perhaps(draw, 7) ? 'any' : (kinds?.[Math.min(index, kinds.length - 1)] ?? 'any')
      return this.#operand(kind, inner)
    }).join(', ')
  }

  #operand(kind: Kind, around: Around): string {
    const draw = this.#draw
    if (perhaps(draw, 6)) return 'NULL'
    const constants: Partial<Record<Kind, readonly string[]>> = {
      period: periods,
      zone: zones,
      pattern: patterns,
      regex: expressions,
      path: paths,
      unit: units,
      format: formats,
    }
    const texts = constants[kind]
    if (texts !== undefined) return textLiteral(oneOf(draw, texts))
    switch (kind) {
      case 'count':
        return perhaps(draw, 70) ? oneOf(draw, counts) : this.value('long', around)
      case 'share':
        return oneOf(draw, ['0', '0.5', '1', '0.999', '-0.1', '1.1', "'x'", 'V', '1e400'])
      case 'address':
        return textLiteral(oneOf(draw, ['10.0.0.0/8', '0.0.0.0/0', '1.2.3.4', '1.2.3.4/33', 'x', '', '::1/128']))
      case 'interval':
        return textLiteral(
          oneOf(draw, [
            '2020/2030',
            '0001-01-01/9999-12-31',
            'P1Y/2020',
            '2020/P999999999Y',
            'x',
            '2020',
            '2030/2020',
            '/',
          ]),
        )
      case 'sketch':
        return around.columns ? oneOf(draw, ['DS_HLL(s)', 'DS_THETA(T)', 'DS_HLL(l)', 'DS_THETA(V, 99999)']) : 'NULL'
      case 'quantiles':
        return around.columns ? oneOf(draw, ['DS_QUANTILES_SKETCH(V)', 'DS_QUANTILES_SKETCH(l, 128)']) : 'NULL'
      case 'text':
      case 'long':
      case 'double':
      case 'time':
      case 'truth':
      case 'array':
      case 'json':
      case 'any':
        return this.value(kind, around)
      default:
        return 'NULL'
    }
  }

  #comparison(): string {
    return oneOf(this.#draw, ['=', '<>', '<', '<=', '>', '>=', '!='])
  }

  value(kind: (typeof valueKinds)[number] | 'any', around: Around): string {
    const draw = this.#draw
    const chosen = kind === 'any' ? oneOf(draw, valueKinds) : kind
    this.#calls += 1
    if (around.depth <= 0 || this.#calls > 60) return this.#leaf(chosen, around)
    if (perhaps(draw, 45)) return this.#call(chosen, around)
    const inner = { ...around, depth: around.depth - 1 }
    if (perhaps(draw, 12))
      return `CAST(${this.value('any', inner)} AS ${perhaps(draw, 80) ? castOf[chosen] : oneOf(draw, castTypes)})`
    if (perhaps(draw, 10)) {
      return `CASE WHEN ${this.value('truth', inner)} THEN ${this.value(chosen, inner)} ELSE ${this.value(chosen, inner)} END`
    }
    return this.#made(chosen, inner)
  }

  /** A value made by an operator or a special form of this type. */
  #made(kind: (typeof valueKinds)[number], inner: Around): string {
    const draw = this.#draw
    const of = (one: (typeof valueKinds)[number] | 'any'): string => this.value(one, inner)
    switch (kind) {
      case 'text':
        return oneOf(draw, [
          () => `(${of('text')} || ${of('any')})`,
          () => `TRIM(${oneOf(draw, ['LEADING', 'TRAILING', 'BOTH'])} ${of('text')} FROM ${of('text')})`,
          () => `SUBSTRING(${of('text')} FROM ${of('long')} FOR ${of('long')})`,
        ])()
      case 'long':
        return oneOf(draw, [
          () => `(${of('long')} ${oneOf(draw, ['+', '-', '*', '/', '%'])} ${of('long')})`,
          () => `(- ${of('long')})`,
          () => `EXTRACT(${oneOf(draw, units)} FROM ${of('time')})`,
          () => `TIMESTAMPDIFF(${oneOf(draw, units)}, ${of('time')}, ${of('time')})`,
          () => `POSITION('a' IN ${of('text')})`,
          () => `POSITION('a' IN ${of('text')} FROM ${of('long')})`,
          () => `(SELECT ${oneOf(draw, ['MAX(l)', 'COUNT(*)', 'l'])} FROM ${fuzzedEntity})`,
        ])()
      case 'double':
        return oneOf(draw, [
          () => `(${of('double')} ${oneOf(draw, ['+', '-', '*', '/', '%'])} ${of('any')})`,
          () => `(- ${of('double')})`,
        ])()
      case 'time':
        return oneOf(draw, [
          () => `TIMESTAMPADD(${oneOf(draw, units)}, ${of('long')}, ${of('time')})`,
          () => `FLOOR(${of('time')} TO ${oneOf(draw, units)})`,
          () => `CEIL(${of('time')} TO ${oneOf(draw, units)})`,
          () =>
            `(${of('time')} ${oneOf(draw, ['+', '-'])} INTERVAL '${oneOf(draw, ['1', '0', '999999999', '-1', '1.5', 'x', ''])}' ${oneOf(draw, units)})`,
          () => `(${of('time')} + INTERVAL '1' DAY * ${of('long')})`,
          () => `(${of('time')} + INTERVAL '1-2' YEAR TO MONTH)`,
          () => `(${of('time')} - INTERVAL '9 23:59:59.999' DAY TO SECOND)`,
        ])()
      case 'truth':
        return oneOf(draw, [
          () => `(${of('any')} ${this.#comparison()} ${of('any')})`,
          () =>
            `(${of('long')} ${oneOf(draw, ['', 'NOT '])}BETWEEN ${oneOf(draw, ['', 'SYMMETRIC '])}${of('long')} AND ${of('any')})`,
          () => `(${of('time')} ${this.#comparison()} ${of('time')})`,
          () => `(${of('any')} ${oneOf(draw, ['', 'NOT '])}IN (${of('any')}, ${of('any')}, NULL))`,
          () => `(${of('any')} IN (SELECT ${oneOf(draw, ['T', 'l', '__time', 'V'])} FROM ${fuzzedEntity}))`,
          () =>
            `(${of('text')} ${oneOf(draw, ['', 'NOT '])}LIKE ${textLiteral(oneOf(draw, ['%', 'a%', '_', '%a%', 'a\\%', '', 'ax', '%x', 's', '\u{1f600}%', '\0']))}${oneOf(draw, ['', ` ESCAPE ${textLiteral(oneOf(draw, ['x', '\\', '%', '_', '', 'xx', '\u{1f600}', '\0', 'a']))}`])})`,
          () => `(${of('any')} LIKE ${of('text')})`,
          () => `(${of('any')} IS ${oneOf(draw, ['NULL', 'NOT NULL'])})`,
          () => `(${of('truth')} IS ${oneOf(draw, ['TRUE', 'NOT TRUE', 'FALSE', 'NOT FALSE', 'UNKNOWN'])})`,
          () => `(${of('any')} IS ${oneOf(draw, ['', 'NOT '])}DISTINCT FROM ${of('any')})`,
          () => `(${of('truth')} ${oneOf(draw, ['AND', 'OR'])} ${of('truth')})`,
          () => `(NOT ${of('truth')})`,
          () =>
            `((SELECT COUNT(*) FROM ${fuzzedEntity} WHERE ${this.value('truth', { ...inner, columns: true })}) > 0)`,
        ])()
      case 'array':
        return oneOf(draw, [
          () => `ARRAY[${of('any')}, ${of('any')}]`,
          () => `ARRAY[${of('long')}, NULL, ${of('long')}]`,
          () => `STRING_TO_ARRAY(${of('text')}, ${of('text')})`,
          () => `ARRAY_SLICE(${of('array')}, ${of('long')}, ${of('long')})`,
        ])()
      case 'json':
        return oneOf(draw, [
          () => `JSON_OBJECT('k' : ${of('any')}, ${of('text')} : ${of('any')})`,
          () => `PARSE_JSON(${of('text')})`,
          () => `TRY_PARSE_JSON(${of('any')})`,
          () => `JSON_QUERY(${of('json')}, ${textLiteral(oneOf(draw, paths))})`,
        ])()
    }
  }

  #call(kind: (typeof valueKinds)[number] | 'any', around: Around, name = functionOf(this.#draw, kind)): string {
    const draw = this.#draw
    const { count } = scalars.get(name)!
    const inner = { ...around, depth: around.depth - 1 }
    if (['TIMESTAMPADD', 'TIMESTAMPDIFF', 'EXTRACT', 'JSON_OBJECT', 'POSITION'].includes(name))
      return this.#made(name === 'JSON_OBJECT' ? 'json' : name === 'TIMESTAMPADD' ? 'time' : 'long', inner)
    const bare = ['CURRENT_TIMESTAMP', 'CURRENT_DATE', 'LOCALTIMESTAMP']
    if (bare.includes(name)) return name
    const returning = name === 'JSON_VALUE' && perhaps(draw, 50) ? ` RETURNING ${oneOf(draw, castTypes)}` : ''
    return `${name}(${this.#operands(name, count, around)}${returning})`
  }

  #leaf(kind: (typeof valueKinds)[number], { columns }: Around): string {
    const draw = this.#draw
    if (perhaps(draw, 5)) return 'NULL'
    if (columns && columnsOf[kind].length > 0 && perhaps(draw, 45)) return oneOf(draw, columnsOf[kind])
    switch (kind) {
      case 'text':
        return textLiteral(oneOf(draw, texts))
      case 'long':
        return oneOf(draw, wholeNumbers)
      case 'double':
        return oneOf(draw, fractions)
      case 'time':
        return oneOf(draw, [
          "TIMESTAMP '0001-01-01 00:00:00'",
          "TIMESTAMP '9999-12-31 23:59:59.999'",
          "TIMESTAMP '1969-12-31 23:59:59'",
          "DATE '2024-02-29'",
          "TIMESTAMP '2026-03-29 01:30:00'",
          'CURRENT_TIMESTAMP',
          "TIMESTAMP '0000-01-01 00:00:00'",
          `MILLIS_TO_TIMESTAMP(${oneOf(draw, wholeNumbers)})`,
          `CAST(${oneOf(draw, wholeNumbers)} AS TIMESTAMP)`,
        ])
      case 'truth':
        return oneOf(draw, [
          'TRUE',
          'FALSE',
          ...(columns
            ? [
                'l > 0',
                'V < 1.5',
                "s LIKE 'a%'",
                "__time > TIMESTAMP '2000-01-01 00:00:00'",
                "__time < '2000-01-01'",
                'b = 1',
              ]
            : ['1 = 1']),
        ])
      case 'array':
        return oneOf(draw, [
          'ARRAY[1, 2, 3]',
          "ARRAY['a', NULL]",
          'ARRAY[1.5]',
          'ARRAY[]',
          'ARRAY[NULL]',
          'ARRAY[TRUE]',
          "ARRAY[TIMESTAMP '2020-01-01 00:00:00']",
          'ARRAY[ARRAY[1]]',
        ])
      case 'json':
        return oneOf(draw, [
          'PARSE_JSON(\'{"a":[1,{"b":null}]}\')',
          "TRY_PARSE_JSON('{')",
          "TRY_PARSE_JSON('[1,2]')",
          ...(columns ? ['TRY_PARSE_JSON(s)'] : []),
        ])
    }
  }
}

function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const tables = [sqlTable({ id: 1, name: fuzzedEntity, fields: fuzzedFields })]

function isTaken(text: string): boolean {
  try {
    translateSql(text, tables)
    return true
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return false
    throw error
  }
}

/** The most attempts to make a query that is accepted: most are refused before they reach an engine. */
const triesMax = 12
/** Every nth query calls the function whose turn it is. */
const turnEvery = 3

/** The query with this number: always the same. Consecutive numbers use all functions in turn. */
export function fuzzedSql(number: number): string {
  const turn = number % turnEvery === 0 ? fuzzedNames[(number / turnEvery) % fuzzedNames.length] : undefined
  let text = ''
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const writer = new QueryWriter(seededRandom(number * triesMax + attempt).below)
    text = turn === undefined ? writer.query() : writer.queryOf(turn)
    if (isTaken(text)) return text
  }
  return text
}
