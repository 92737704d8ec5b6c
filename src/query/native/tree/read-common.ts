// Parts that many components share: expressions, types, granularities, intervals, extraction functions, dimension specs.
import { type Expression, ExpressionFault, parseExpression } from '../expression/syntax.ts'
import { isBrokenPattern, isPortablePattern } from '../sql/patterns.ts'
import { patternPieces } from '../sql/time-format.ts'
import type { ColumnType } from '../sql/typed.ts'
import { mondayMs, type NativeGranularity, periodGranularity } from '../time/granularity.ts'
import { condense, type Interval, parseInstantText, parseInterval, parsePeriod } from '../time/iso.ts'
import { Zone } from '../time/zone.ts'
import { type Json, unsupported } from './json-reader.ts'
import type { DimensionSpec, Extraction, Ordering, SearchSpec } from './nodes.ts'

export function readExpression(json: Json): Expression {
  const text = json.text()
  try {
    return parseExpression(text)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    return json.fail(`is no expression: ${error.message} (character ${error.at + 1} of "${text}")`)
  }
}

const columnTypes = ['STRING', 'LONG', 'DOUBLE', 'FLOAT'] as const

export function readType(json: Json, fallback: ColumnType): ColumnType {
  if (json.missing) return fallback
  const name = json.text().toUpperCase()
  const type = columnTypes.find((known) => known === name)
  if (type !== undefined) return type
  if (/^(ARRAY|COMPLEX)\b/.test(name)) throw unsupported(json.path, `the type ${name}`)
  return json.fail(`must be one of ${columnTypes.join(', ')}`)
}

export function readZone(json: Json): Zone {
  const name = json.textOrNull()
  if (name === null) return Zone.utc
  return Zone.find(name) ?? json.fail(`"${name}" is no time zone`)
}

function readPattern(json: Json): string {
  const pattern = json.text()
  if (isBrokenPattern(pattern)) return json.fail(`"${pattern}" is no regular expression`)
  if (isPortablePattern(pattern)) return pattern
  throw unsupported(json.path, 'a pattern with look-around, back-references or possessive quantifiers')
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const uniform = (widthMs: number): NativeGranularity => ({ kind: 'uniform', widthMs, originMs: 0, zone: Zone.utc })
const months = (count: number): NativeGranularity => ({
  kind: 'months',
  months: count,
  originLocalMs: 0,
  zone: Zone.utc,
})

const simpleGranularities: Readonly<Record<string, NativeGranularity>> = {
  all: { kind: 'all' },
  none: uniform(1),
  second: uniform(1000),
  minute: uniform(minuteMs),
  five_minute: uniform(5 * minuteMs),
  ten_minute: uniform(10 * minuteMs),
  fifteen_minute: uniform(15 * minuteMs),
  thirty_minute: uniform(30 * minuteMs),
  hour: uniform(hourMs),
  six_hour: uniform(6 * hourMs),
  eight_hour: uniform(8 * hourMs),
  day: uniform(24 * hourMs),
  week: { kind: 'uniform', widthMs: 7 * 24 * hourMs, originMs: mondayMs, zone: Zone.utc },
  month: months(1),
  quarter: months(3),
  year: months(12),
}

export function readGranularity(json: Json): NativeGranularity {
  if (!json.isObject) {
    const name = json.text()
    const found = simpleGranularities[name.toLowerCase()]
    return (
      found ??
      json.fail(
        `"${name}" is none of ${Object.keys(simpleGranularities).join(', ')}; a period needs {"type": "period", "period": "${name}"}`,
      )
    )
  }
  switch (json.type()) {
    case 'all':
    case 'none':
      return simpleGranularities[json.type()]!
    case 'duration': {
      const widthMs = json.at('duration').whole()
      if (widthMs <= 0) return json.at('duration').fail('must be above 0')
      return { kind: 'uniform', widthMs, originMs: readOrigin(json.at('origin')) ?? 0, zone: Zone.utc }
    }
    case 'period': {
      const text = json.at('period').text()
      const period = parsePeriod(text) ?? json.at('period').fail(`"${text}" is no ISO 8601 period`)
      const zone = readZone(json.at('timeZone'))
      return (
        periodGranularity(period, zone, readOrigin(json.at('origin'))) ??
        json.at('period').fail('must be longer than nothing')
      )
    }
    default:
      return json.refuseType('granularity', [])
  }
}

function readOrigin(json: Json): number | null {
  if (json.missing) return null
  if (typeof json.value === 'number') return json.whole()
  return parseInstantText(json.text()) ?? json.fail('must be an instant')
}

export function readIntervals(json: Json): readonly Interval[] {
  if (json.isObject) {
    const type = json.at('type').textOrNull()
    if (type === 'segments') throw unsupported(json.path, 'the intervals "segments"')
    return readIntervals(json.at('intervals'))
  }
  const texts =
    typeof json.value === 'string'
      ? json.value.split(',').map((text) => ({ text, json }))
      : json.items().map((item) => ({ text: item.text(), json: item }))
  return condense(
    texts.map(
      ({ text, json: at }) =>
        parseInterval(text.trim()) ??
        at.fail(`"${text}" is no interval: "start/end" in ISO 8601, the start not after the end`),
    ),
  )
}

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version', 'natural'] as const

/** A name, or `{"type": name}`. */
export function readOrdering(json: Json, fallback: Ordering): Ordering {
  if (json.missing) return fallback
  return json.isObject ? json.at('type').oneOf(orderings) : json.oneOf(orderings)
}

export function readSearchSpec(json: Json): SearchSpec {
  if (json.missing) return { kind: 'all' }
  switch (json.type()) {
    case 'all':
      return { kind: 'all' }
    case 'contains':
      return {
        kind: 'contains',
        value: json.at('value').textOrNull(),
        caseSensitive: json.at('caseSensitive').flag(false),
      }
    case 'insensitive_contains':
      return { kind: 'contains', value: json.at('value').textOrNull(), caseSensitive: false }
    case 'fragment':
      return {
        kind: 'fragment',
        values: json
          .at('values')
          .items()
          .map((item) => item.text()),
        caseSensitive: json.at('caseSensitive').flag(false),
      }
    case 'regex':
      return { kind: 'regex', pattern: readPattern(json.at('pattern')) }
    default:
      return json.refuseType('search query', [])
  }
}

export function readExtractionOrNull(json: Json): Extraction | null {
  return json.missing ? null : readExtraction(json)
}

export function readExtraction(json: Json): Extraction {
  const type = json.type()
  switch (type) {
    case 'timeFormat':
      return readTimeFormat(json)
    case 'substring':
      return readSubstring(json)
    case 'upper':
    case 'lower':
    case 'strlen':
    case 'identity':
      return { kind: type }
    case 'regex': {
      const index = json.at('index').wholeOr(1)
      if (index < 0 || index > 9) return json.at('index').fail('must be 0 to 9')
      const missing = json.at('replaceMissingValueWith').textOrNull()
      return {
        kind: 'regex',
        pattern: readPattern(json.at('expr')),
        index,
        replaceMissing: json.at('replaceMissingValue').flag(false),
        missing,
      }
    }
    case 'partial':
      return { kind: 'partial', pattern: readPattern(json.at('expr')) }
    case 'searchQuery':
      return json.at('query').missing
        ? json.at('query').fail('is required')
        : { kind: 'searchQuery', query: readSearchSpec(json.at('query')) }
    case 'lookup':
      return readLookup(json)
    case 'cascade':
      return { kind: 'cascade', steps: json.at('extractionFns').items().map(readExtraction) }
    case 'bucket':
      return {
        kind: 'bucket',
        size: json.at('size').missing ? 1 : json.at('size').number(),
        offset: json.at('offset').missing ? 0 : json.at('offset').number(),
      }
    case 'stringFormat':
      return readStringFormat(json)
    default:
      return json.refuseType('extraction function', ['time', 'javascript', 'registeredLookup', 'fallback'])
  }
}

function readTimeFormat(json: Json): Extraction {
  const format = json.at('format').textOrNull()
  if (format !== null && patternPieces(format) === null) return json.at('format').fail(`"${format}" is no pattern`)
  const locale = json.at('locale').textOrNull() ?? 'en'
  if (!/^[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*$/.test(locale)) return json.at('locale').fail(`"${locale}" is no locale`)
  const granularity = json.at('granularity').missing ? null : readGranularity(json.at('granularity'))
  return {
    kind: 'timeFormat',
    format,
    zone: readZone(json.at('timeZone')),
    locale: locale.replaceAll('_', '-'),
    granularity,
    asMillis: json.at('asMillis').flag(false),
  }
}

function readSubstring(json: Json): Extraction {
  const index = json.at('index').whole()
  const length = json.at('length').missing ? null : json.at('length').whole()
  if (index < 0) return json.at('index').fail('must not be below 0')
  if (length !== null && length <= 0) return json.at('length').fail('must be above 0')
  return { kind: 'substring', index, length }
}

function readLookup(json: Json): Extraction {
  const lookup = json.at('lookup')
  if (!lookup.isObject || lookup.type() !== 'map') throw unsupported(lookup.path, 'a lookup that is no map')
  const retain = json.at('retainMissingValue').flag(false)
  const missing = json.at('replaceMissingValueWith').textOrNull()
  if (retain && missing !== null) return json.at('replaceMissingValueWith').fail('does not go with retainMissingValue')
  const map = new Map(
    lookup
      .at('map')
      .entries()
      .map(([key, value]) => [key, value.text()] as const),
  )
  return { kind: 'lookup', map, retain, missing }
}

const nullHandlings = ['nullString', 'emptyString', 'returnNull'] as const

function readStringFormat(json: Json): Extraction {
  const format = json.at('format').text()
  if (format === '') return json.at('format').fail('must not be empty')
  const nulls = json.at('nullHandling').missing ? 'nullString' : json.at('nullHandling').oneOf(nullHandlings)
  return { kind: 'stringFormat', format, nulls }
}

/** A name, or a dimension spec. */
export function readDimension(json: Json): DimensionSpec {
  if (!json.isObject) {
    const name = json.text()
    return { dimension: name, outputName: name, outputType: 'STRING', extraction: null, keep: null, path: json.path }
  }
  const type = json.at('type').missing ? 'default' : json.type()
  switch (type) {
    case 'default':
    case 'extraction': {
      const dimension = json.at('dimension').text()
      const outputName = json.at('outputName').textOrNull() ?? dimension
      const extraction = type === 'extraction' ? readExtraction(json.at('extractionFn')) : null
      return {
        dimension,
        outputName,
        outputType: readType(json.at('outputType'), 'STRING'),
        extraction,
        keep: null,
        path: json.path,
      }
    }
    case 'listFiltered': {
      const values = json
        .at('values')
        .items()
        .map((item) => item.textOrNull())
      if (values.length === 0) return json.at('values').fail('must not be empty')
      return { ...readDimension(json.at('delegate')), keep: { values, listed: json.at('isWhitelist').flag(true) } }
    }
    case 'regexFiltered':
      return { ...readDimension(json.at('delegate')), keep: { pattern: readPattern(json.at('pattern')) } }
    case 'prefixFiltered':
      return { ...readDimension(json.at('delegate')), keep: { prefix: json.at('prefix').text() } }
    default:
      return json.refuseType('dimension spec', ['lookup'])
  }
}

export { readPattern }
