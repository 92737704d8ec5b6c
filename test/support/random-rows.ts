// Random entities, rows and plans for the property tests of stores: few tags and dates, so that ties, nulls and late rows are common.
import { granularityInZone } from '../../src/druid-time/plain-granularity.ts'
import { Zone } from '../../src/druid-time/zone.ts'
import type { ColumnVector, Value } from '../../src/model/column.ts'
import type { Duration } from '../../src/model/duration.ts'
import { type EntityField, shapes } from '../../src/model/entity.ts'
import { isNumericField } from '../../src/model/field.ts'
import { type Granularity, parseGranularity } from '../../src/model/granularity.ts'
import {
  aggregateNames,
  type Fill,
  fillKinds,
  type OverTimePlan,
  type Plan,
  type Range,
  type Selection,
  type ValuesOverTime,
} from '../../src/model/plan.ts'
import { qualityCodings, qualityOf, qualityWords } from '../../src/model/quality.ts'
import type { RowBatch } from '../../src/model/row-batch.ts'

/** Returns an integer from 0 to `below` - 1. */
export type Draw = (below: number) => number

/** A small seeded random number generator (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export function oneOf<T>(draw: Draw, values: readonly T[]): T {
  return values[draw(values.length)]
}

function someOf<T>(draw: Draw, values: readonly T[]): T[] {
  return values.filter(() => draw(2) === 0)
}

const valueTypes = ['timestamp', 'string', 'double', 'long', 'boolean'] as const
const strings = ['', 'a', 'ab', 'a%', 'b_', 'é', '\uffff', '\u{1f600}', 'a\u{1f600}']
const longs: readonly (number | bigint)[] = [
  0,
  -1,
  7,
  2 ** 53,
  9007199254740993n,
  -9007199254740995n,
  9223372036854775807n,
]
const doubles: readonly number[] = [0, -0, 1.5, -2.25, 1e300, 1.7e308, -1.7e308, 5e-324, 0.1]

export interface RandomEntity {
  readonly time: EntityField
  readonly tags: readonly EntityField[]
  readonly others: readonly EntityField[]
}

export function randomEntity(draw: Draw): RandomEntity {
  const tags = Array.from({ length: 1 + draw(3) }, (_, index) => field(`tag${index}`, 'string', 'tag'))
  const others = Array.from({ length: 1 + draw(6) }, (_, index) =>
    field(`field${index}`, oneOf(draw, valueTypes), draw(2) === 0 ? 'metric' : 'dimension'),
  )
  const quality = draw(2) === 0 ? [randomQuality(draw)] : []
  return {
    time: field('D', 'timestamp', 'time'),
    tags,
    others: [...others, ...quality, field('V', 'double', 'metric')],
  }
}

function randomQuality(draw: Draw): EntityField {
  const known = field('Q', oneOf(draw, ['long', 'string'] as const), 'quality')
  return draw(3) === 0 ? known : { ...known, coding: oneOf(draw, qualityCodings) }
}

const qualityNumbers: readonly number[] = [
  192,
  255,
  191,
  256,
  64,
  127,
  128,
  63,
  0,
  500,
  -1,
  2 ** 30 - 1,
  2 ** 30,
  2 ** 31 - 1,
  2 ** 31,
]
const qualityTexts: readonly string[] = [
  ...['good', 'GOOD', 'Uncertain', 'bad', 'BAD', '', 'goo', 'good\n', ' good', '192', '0192', '64', '12', '1e2', '-1'],
  ...['0x000000C0', '0X0000007f', '0x3fFFffff', '0x40000000', '0x80000000', '0xC0', '99999999999999999999', '64\n'],
]

/** The qualities of a batch: all good, or one in 20 or one in two of any quality. */
export function randomQualities(draw: Draw, { type, coding }: EntityField, rows: number): Value[] {
  const all: readonly Value[] = type === 'long' ? qualityNumbers : qualityTexts
  const good = [null, ...all.filter((value) => qualityOf(value, coding ?? 'opcda') === 'good')]
  const badIn = oneOf(draw, [0, 20, 2])
  const only = draw(3) === 0 ? oneOf(draw, good) : undefined
  return Array.from({ length: rows }, () => {
    if (badIn > 0 && draw(badIn) === 0) return oneOf(draw, all)
    return only === undefined ? oneOf(draw, good) : only
  })
}

function field(name: string, type: EntityField['type'], role: EntityField['role']): EntityField {
  return { name, type, role }
}

/** The values that random values are drawn from. */
export interface ValuePools {
  readonly instantMs: () => number
  readonly longs: readonly (number | bigint)[]
  readonly doubles: readonly number[]
  readonly texts: readonly string[]
}

export function randomValue(draw: Draw, type: EntityField['type'], pools: ValuePools): Value {
  if (draw(4) === 0) return null
  switch (type) {
    case 'timestamp':
      return pools.instantMs()
    case 'long':
      return oneOf(draw, pools.longs)
    case 'double':
      return oneOf(draw, pools.doubles)
    case 'boolean':
      return draw(2) === 0
    default:
      return oneOf(draw, pools.texts)
  }
}

/** Batches whose rows are mostly in time order and span about `spanMs`. Later ones may have more fields. */
export function randomBatches(
  draw: Draw,
  entity: RandomEntity,
  spanMs: number,
  numbers = { longs, doubles },
): RowBatch[] {
  const batches: RowBatch[] = []
  const dictionary = [...strings]
  const count = 1 + draw(8)
  let position = draw(100)
  const pools = { instantMs: () => draw(4) * 1000 - 2000, ...numbers, texts: strings }
  for (let index = 0; index < count; index++) {
    const rows = draw(3) === 0 ? 1 : draw(40)
    const known = entity.others.slice(0, 1 + draw(entity.others.length))
    const tags = index > 0 && draw(8) > 0 ? entity.tags : knownTags(draw, entity.tags)
    const atMs = Math.floor((spanMs * index) / count)
    const times = Array.from({ length: rows }, (_, row) => {
      const late = draw(10) === 0 ? draw(spanMs) : 0
      return atMs + Math.floor((row * spanMs) / count / rows / 2) - late - (draw(3) === 0 ? spanMs / 2 : 0)
    })
    const columns = [
      columnOf('timestamp', times, dictionary),
      ...tags.map(() =>
        columnOf(
          'string',
          Array.from({ length: rows }, () => oneOf(draw, strings)),
          dictionary,
        ),
      ),
      ...known.map((one) =>
        columnOf(
          one.type,
          one.role === 'quality'
            ? randomQualities(draw, one, rows)
            : Array.from({ length: rows }, () => randomValue(draw, one.type, pools)),
          dictionary,
        ),
      ),
    ]
    const positions = Float64Array.from({ length: rows }, (_, row) => position + row)
    position += rows + draw(3)
    batches.push({ entityId: 1, rows, positions, fields: [entity.time, ...tags, ...known], columns })
  }
  return batches
}

/** The tags that one of several ingests pushes: the first ones, or any single one. */
function knownTags(draw: Draw, tags: readonly EntityField[]): readonly EntityField[] {
  return draw(3) === 0 ? [oneOf(draw, tags)] : tags.slice(0, 1 + draw(tags.length))
}

/** The same rows for an entity whose newer rows replace older ones: some nulls were pushed, others are absent properties. */
export function replacing(draw: Draw, batch: RowBatch): RowBatch {
  const isPushed = draw(3) === 0
  const pushedNulls = batch.fields.map(({ role }) => {
    if (role === 'time' || role === 'tag' || isPushed) return null
    return Uint8Array.from({ length: batch.rows }, () => draw(2))
  })
  return { ...batch, pushedNulls }
}

/** Reorders batches so that some come later than their positions, as replays of rejected rows do. */
export function withReplays(draw: Draw, batches: readonly RowBatch[]): RowBatch[] {
  const order = batches.map((batch, index) => ({ batch, at: draw(5) === 0 ? index + draw(batches.length) : index }))
  return order.sort((left, right) => left.at - right.at).map(({ batch }) => batch)
}

/** Values as a column; strings that `dictionary` lacks are added to it. */
export function columnOf(type: EntityField['type'], values: readonly Value[], dictionary: string[] = []): ColumnVector {
  switch (type) {
    case 'string': {
      const codes = Int32Array.from(values, (value) => (value === null ? -1 : codeIn(dictionary, String(value))))
      return { type, codes, dictionary }
    }
    case 'boolean':
      return { type, values: Uint8Array.from(values, (value) => (value === null ? 2 : Number(value))) }
    case 'long': {
      const exact = values.some((value) => typeof value === 'bigint')
      const digits = BigInt64Array.from(values, (value) => (value === null ? 0n : BigInt(value)))
      return { type, values: numbers(values), exact: exact ? digits : null }
    }
    case 'json':
      throw new Error('a series entity has no json field')
    default:
      return { type, values: numbers(values) }
  }
}

function numbers(values: readonly Value[]): Float64Array {
  return Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))
}

function codeIn(dictionary: string[], text: string): number {
  const known = dictionary.indexOf(text)
  return known === -1 ? dictionary.push(text) - 1 : known
}

const granularities = ['all', 'none', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'P1M1D', 'PT7S']

/** Adds the quality to the shown fields where it may be other than good. */
function showing(selection: Selection): Selection {
  const { quality, fields } = selection
  return quality?.words.some((word) => word !== 'good')
    ? { ...selection, fields: [...fields, quality.field] }
    : selection
}

export function randomPlan(draw: Draw, entity: RandomEntity, spanMs: number): Plan {
  const pooled = randomSelection(draw, entity)
  const selection = showing(pooled)
  const range = randomRange(draw, spanMs)
  switch (draw(6)) {
    case 0:
      return { kind: 'select', selection, range }
    case 1:
    case 2: {
      const metrics = entity.others.filter((other) => other.role === 'metric' && isNumericField(other))
      const text = oneOf(draw, granularities)
      const plain: Granularity = parseGranularity(text) ?? { kind: 'all' }
      const zone = Zone.find(oneOf(draw, zones)) ?? Zone.utc
      const granularity = granularityInZone(text, plain, zone, range)
      const average = { kind: 'average', selection: { ...pooled, metrics }, range, granularity } as const
      return { ...average, byTag: draw(2) === 0, ...randomFill(draw, plain, spanMs) }
    }
    case 3:
      return { kind: 'latest', selection, fromMs: range.fromMs }
    case 4: {
      const kind = draw(2) === 0 ? 'last' : 'next'
      return { kind, selection, dateMs: draw(spanMs * 2) - spanMs, offset: draw(3) === 0 ? draw(20) : draw(2) }
    }
    default: {
      const ticks = Array.from({ length: draw(6) }, () => draw(spanMs * 2) - spanMs)
      const ticksMs = Float64Array.from(new Set(ticks)).sort()
      return { kind: 'snap', selection, ticksMs }
    }
  }
}

/** A random plan of values over time. */
export function randomOverTimePlan(draw: Draw, entity: RandomEntity, spanMs: number): OverTimePlan {
  const selection = randomSelection(draw, entity)
  const range = randomRange(draw, spanMs)
  const text = oneOf(draw, granularities)
  const parsed: Granularity = parseGranularity(text) ?? { kind: 'all' }
  const isFine = parsed.kind === 'uniform' && (4 * spanMs) / parsed.widthMs > 500
  const plain: Granularity = isFine ? { kind: 'uniform', widthMs: Math.ceil(spanMs / 50), originMs: 7 } : parsed
  const zone = Zone.find(oneOf(draw, zones)) ?? Zone.utc
  const granularity = isFine ? plain : granularityInZone(text, plain, zone, range)
  const bucketed = { selection: { ...selection, fields: draw(2) === 0 ? [] : selection.fields }, range, granularity }
  const fill = plain.kind === 'months' || plain.kind === 'compound' ? {} : randomFill(draw, plain, spanMs)
  const nowMs = draw(3) === 0 ? draw(spanMs * 2) - spanMs : spanMs * 2
  const valuesOf = ({ metrics }: Pick<Selection, 'metrics'>): ValuesOverTime => ({
    metrics: metrics.map(() => ({
      shape: oneOf(draw, shapes),
      maxGap: draw(2) === 0 ? null : randomGap(draw, spanMs),
    })),
    shapeOfTag: draw(3) === 0 ? [[oneOf(draw, strings), oneOf(draw, shapes)]] : [],
    nowMs,
  })
  switch (draw(5)) {
    case 0:
      return { kind: 'plot', selection: showing({ ...selection, fields: [] }), range, points: 1 + draw(9) }
    case 1: {
      const states = { ...bucketed, selection: { ...selection, fields: [] } }
      return { kind: 'states', ...states, values: valuesOf(selection), ...fill }
    }
    case 2: {
      const ticksMs = Float64Array.from(
        new Set(Array.from({ length: 1 + draw(6) }, () => draw(spanMs * 2) - spanMs)),
      ).sort()
      const shape = oneOf(draw, shapes)
      const { metrics, ...values } = valuesOf(selection)
      const over = { ...values, shapeOfTag: [], metrics: metrics.map(({ maxGap }) => ({ shape, maxGap })) }
      return { kind: 'snap', selection: { ...selection, fields: [] }, ticksMs, values: over }
    }
    default: {
      const numeric = entity.others.filter((other) => other.role === 'metric' && isNumericField(other))
      const asked = someOf(draw, aggregateNames)
      const aggregates = asked.length > 0 ? asked : aggregateNames
      return {
        kind: 'aggregate',
        ...bucketed,
        selection: { ...bucketed.selection, metrics: numeric },
        values: valuesOf({ metrics: numeric }),
        columns: numeric.flatMap(({ name }, metric) =>
          aggregates.map((aggregate) => ({ name: `${name}.${aggregate}`, metric, aggregate })),
        ),
        onlyKnown: draw(3) === 0,
        totalUnitMs: 3_600_000,
        counter: { reset: oneOf(draw, ['zero', 'skip'] as const), wrap: draw(3) === 0 ? 100 : null },
        ...fill,
      }
    }
  }
}

const zones = ['UTC', 'UTC', 'Europe/Madrid', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu']

/** A random fill, where the number of buckets is small enough. */
function randomFill(draw: Draw, granularity: Granularity, spanMs: number): { readonly fill?: Fill } {
  if (draw(2) === 0 || granularity.kind === 'all') return {}
  if (granularity.kind === 'uniform' && (4 * spanMs) / granularity.widthMs > 2000) return {}
  const maxGap = draw(2) === 0 ? null : randomGap(draw, spanMs)
  return { fill: { kind: oneOf(draw, fillKinds), maxGap } }
}

const randomGap = (draw: Draw, spanMs: number): Duration => {
  return { years: 0, months: draw(8) === 0 ? 1 : 0, weeks: 0, days: 0, ms: draw(spanMs) }
}

function randomSelection(draw: Draw, { time, tags, others }: RandomEntity): Selection {
  const metrics = others.filter((other) => other.role === 'metric')
  const asked = someOf(draw, metrics)
  const field = others.find(({ role }) => role === 'quality')
  const some = someOf(draw, qualityWords)
  const words = draw(2) === 0 || some.length === 0 ? (['good'] as const) : some
  return {
    ...(field === undefined ? {} : { quality: { field, words } }),
    entityId: 1,
    sinceMs: null,
    time,
    tags: someTags(draw, tags),
    ids: draw(2) === 0 ? null : [...someOf(draw, strings), 'unknown', ...someOf(draw, strings)],
    prefixes: draw(3) > 0 ? null : [...someOf(draw, ['a', 'a%', '', '\u{1f600}']), 'b'],
    metrics: asked.length > 0 ? asked : metrics,
    fields: someOf(draw, [...others.filter((other) => other.role === 'dimension'), ...tags]),
  }
}

/** One of the tags, or several, beginning with any of them. */
function someTags(draw: Draw, tags: readonly EntityField[]): [EntityField, ...EntityField[]] {
  const first = oneOf(draw, tags)
  const others = draw(2) === 0 ? [] : tags.filter((tag) => tag !== first && draw(3) > 0)
  return [first, ...others]
}

function randomRange(draw: Draw, spanMs: number): Range {
  const [first, second] = [draw(spanMs * 2) - spanMs, draw(spanMs * 2) - spanMs]
  return {
    fromMs: draw(2) === 0 ? Number.NEGATIVE_INFINITY : Math.min(first, second),
    toMs: draw(2) === 0 ? Number.POSITIVE_INFINITY : Math.max(first, second),
  }
}
