// Components used by many others: expressions, types, granularities, intervals, extraction functions, dimension specs.

import { condense, type Interval, parseInstantText, parseInterval, parsePeriod } from '../../druid-time/iso.ts'
import { isUsable, type NativeGranularity, periodGranularity } from '../../druid-time/native-granularity.ts'
import { nativeBuckets } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { granularityNames } from '../../model/granularity.ts'
import { type Expression, ExpressionFault, parseExpression } from '../expression/syntax.ts'
import { isBrokenPattern, isPortablePattern, patternMax } from '../values/patterns.ts'
import { isScalar, type NativeType, type ValueType, valueTypes } from '../values/typed.ts'
import { type Json, unsupported } from './json-reader.ts'
import type { Ordering, SearchSpec } from './query-nodes.ts'

/** Maximum length of an expression, far beyond practical use. */
const expressionMax = 20_000

export function readExpression(json: Json): Expression {
  const text = json.text()
  if (text.length > expressionMax) return json.fail(`has more than ${expressionMax} characters`)
  try {
    return parseExpression(text)
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error
    return json.fail(`is not a valid expression: ${error.message} (character ${error.at + 1} of "${text}")`)
  }
}

export function readType(json: Json, fallback: NativeType): NativeType {
  if (json.missing) return fallback
  const type = readValueType(json, fallback)
  return isScalar(type) ? type : unsupportedType(json)
}

/** The type of an expression's value; may be an array. */
export function readValueType(json: Json, fallback: ValueType): ValueType {
  if (json.missing) return fallback
  const name = json.text().toUpperCase()
  const type = valueTypes.find((known) => known.toUpperCase() === name)
  if (type !== undefined) return type
  if (/^(ARRAY|COMPLEX)\b/.test(name)) return unsupportedType(json)
  return json.fail(`must be one of ${valueTypes.join(', ')}`)
}

function unsupportedType(json: Json): never {
  throw unsupported(json.path, `the type ${json.text().toUpperCase()}`)
}

export function readZone(json: Json): Zone {
  const name = json.textOrNull()
  if (name === null) return Zone.utc
  return Zone.find(name) ?? json.fail(`"${name}" is not a time zone`)
}

export function readPattern(json: Json): string {
  const pattern = json.text()
  if (pattern.length > patternMax) return json.fail(`has more than ${patternMax} characters`)
  if (isBrokenPattern(pattern)) return json.fail(`"${pattern}" is not a regular expression`)
  if (isPortablePattern(pattern)) return pattern
  throw unsupported(json.path, 'a pattern with look-around, back-references or possessive quantifiers')
}

const simpleGranularities: ReadonlyMap<string, NativeGranularity> = new Map(
  Object.entries(granularityNames).map(([name, granularity]) => [name, nativeBuckets(granularity) ?? { kind: 'all' }]),
)

export function readNativeGranularity(json: Json): NativeGranularity {
  if (!json.isObject) {
    const name = json.text()
    const found = simpleGranularities.get(name.toLowerCase())
    return (
      found ??
      json.fail(
        `"${name}" is not one of ${[...simpleGranularities.keys()].join(', ')}; a period needs {"type": "period", "period": "${name}"}`,
      )
    )
  }
  switch (json.type()) {
    case 'all':
    case 'none':
      return simpleGranularities.get(json.type())!
    case 'duration': {
      const widthMs = json.at('duration').count()
      return { kind: 'uniform', widthMs, originMs: readOrigin(json.at('origin')) ?? 0, zone: Zone.utc }
    }
    case 'period': {
      const text = json.at('period').text()
      const period = parsePeriod(text) ?? json.at('period').fail(`"${text}" is not an ISO 8601 period`)
      const zone = readZone(json.at('timeZone'))
      const found = periodGranularity(period, zone, readOrigin(json.at('origin')))
      if (found === null) return json.at('period').fail('must be longer than 0')
      return isUsable(found) ? found : json.fail('is outside the supported times')
    }
    default:
      return json.refuseType('granularity', [])
  }
}

function readOrigin(json: Json): number | null {
  if (json.missing) return null
  if (typeof json.value === 'number') return json.whole()
  return parseInstantText(json.text()) ?? json.fail('must be a time in ISO 8601')
}

const intervalsMax = 1000

export function readIntervals(json: Json): readonly Interval[] {
  if (json.isObject) {
    const type = json.at('type').textOrNull()
    if (type === 'segments') throw unsupported(json.path, 'the intervals "segments"')
    return readIntervals(json.at('intervals'))
  }
  const texts =
    typeof json.value === 'string'
      ? json.value.split(',', intervalsMax + 1).map((text) => ({ text, json }))
      : json.items().map((item) => ({ text: item.text(), json: item }))
  if (texts.length > intervalsMax) return json.fail(`has more than ${intervalsMax} intervals`)
  return condense(
    texts.map(
      ({ text, json: at }) =>
        parseInterval(text.trim()) ??
        at.fail(`"${text}" is not an interval: write "start/end" in ISO 8601, with the start not after the end`),
    ),
  )
}

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version', 'natural'] as const

/** A text comparison. `natural` is rejected: it compares by type and is only valid in a limitSpec. */
export function readTextOrdering(json: Json, fallback: Ordering): Ordering {
  const ordering = readOrdering(json, fallback)
  return ordering === 'natural'
    ? json.fail('"natural" does not compare strings: use it in the columns of a limitSpec')
    : ordering
}

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
        values: json.at('values').texts(),
        caseSensitive: json.at('caseSensitive').flag(false),
      }
    case 'regex':
      return { kind: 'regex', pattern: readPattern(json.at('pattern')) }
    default:
      return json.refuseType('search query', [])
  }
}
