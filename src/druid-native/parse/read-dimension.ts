// Extraction functions and dimension specs.
import { patternPieces } from '../../druid-time/format-sql.ts'
import { integerMax, type Json, unsupported } from './json-reader.ts'
import type { DimensionSpec, Extraction } from './query-nodes.ts'
import { readNativeGranularity, readPattern, readSearchSpec, readValueType, readZone } from './read-common.ts'

export function readExtractionOrNull(json: Json): Extraction | null {
  return json.missing ? null : readExtraction(json)
}

function readExtraction(json: Json): Extraction {
  const type = json.type()
  switch (type) {
    case 'timeFormat':
      return readTimeFormat(json)
    case 'substring':
      return {
        kind: 'substring',
        index: json.at('index').wholeWithin(0, integerMax),
        length: json.at('length').missing ? null : json.at('length').wholeWithin(1, integerMax),
      }
    case 'upper':
    case 'lower':
    case 'strlen':
    case 'identity':
      return { kind: type }
    case 'regex': {
      const index = json.at('index').wholeWithin(0, 9, 1)
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
      return { kind: 'cascade', steps: readSteps(json.at('extractionFns')) }
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

const stepsMax = 50

function readSteps(json: Json): readonly Extraction[] {
  const items = json.items()
  return items.length > stepsMax ? json.fail(`can have at most ${stepsMax} functions`) : items.map(readExtraction)
}

function readTimeFormat(json: Json): Extraction {
  const format = json.at('format').textOrNull()
  if (format !== null && patternPieces(format) === null)
    return json.at('format').fail(`"${format}" is not a valid pattern`)
  const locale = json.at('locale').textOrNull() ?? 'en'
  if (!/^[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*$/.test(locale)) return json.at('locale').fail(`"${locale}" is not a locale`)
  const granularity = json.at('granularity').missing ? null : readNativeGranularity(json.at('granularity'))
  return {
    kind: 'timeFormat',
    format,
    zone: readZone(json.at('timeZone')),
    locale: locale.replaceAll('_', '-'),
    granularity,
    asMillis: json.at('asMillis').flag(false),
  }
}

function readLookup(json: Json): Extraction {
  const lookup = json.at('lookup')
  if (!lookup.isObject || lookup.type() !== 'map') throw unsupported(lookup.path, 'a lookup that is not a map')
  const retain = json.at('retainMissingValue').flag(false)
  const missing = json.at('replaceMissingValueWith').textOrNull()
  if (retain && missing !== null)
    return json.at('replaceMissingValueWith').fail('is not allowed with retainMissingValue')
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

/** A column as text, without extraction. */
export const plainDimension = (name: string, path: string): DimensionSpec => ({
  ...{ dimension: name, outputName: name, outputType: 'STRING' },
  ...{ extraction: null, keep: null, path },
})

/** Reads a column name or a dimension spec. */
export function readDimension(json: Json): DimensionSpec {
  if (!json.isObject) return plainDimension(json.text(), json.path)
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
        outputType: readValueType(json.at('outputType'), 'STRING'),
        extraction,
        keep: null,
        path: json.path,
      }
    }
    case 'listFiltered': {
      const values = json.at('values').textsOrNulls()
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
