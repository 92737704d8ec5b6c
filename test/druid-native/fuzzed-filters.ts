// Random filters, extraction functions and dimension specs of native queries.
import {
  type Draw,
  formats,
  fractions,
  oneOf,
  patterns,
  perhaps,
  expressions as regexes,
  texts,
  wholeNumbers,
  zones,
} from '../druid-sql/fuzzed-values.ts'
import { ExpressionWriter } from './fuzzed-expressions.ts'
import { Digits, granularities, intervals, orderings, outputTypes, type Part } from './fuzzed-parts.ts'

const columns = ['T', 's', 'l', 'b', 'ts', 'V', '__time', 'v0', 'v1', 'v2', 'nothing']

const filters = [
  ...['and', 'or', 'not', 'selector', 'in', 'inType', 'bound', 'range', 'equals', 'null', 'like', 'regex', 'search'],
  ...['interval', 'expression', 'columnComparison', 'arrayContainsElement', 'true', 'false', 'istrue', 'isfalse'],
]
const extractions = [
  ...['timeFormat', 'substring', 'upper', 'lower', 'strlen', 'identity', 'regex', 'partial', 'searchQuery'],
  ...['lookup', 'cascade', 'bucket', 'stringFormat'],
]
const marks = ['%', 'a%', '_', '%a%', 'a\\%', '', 'ax', '%_a_%_a_%_a_%b', '\u{1f600}%', '\0', '%'.repeat(200)]

export class FilterWriter {
  readonly expressions: ExpressionWriter
  readonly #draw: Draw

  constructor(draw: Draw) {
    this.#draw = draw
    this.expressions = new ExpressionWriter(draw)
  }

  scalar(): Part {
    const draw = this.#draw
    return oneOf<Part>(draw, [
      oneOf(draw, texts),
      new Digits(oneOf(draw, wholeNumbers)),
      new Digits(oneOf(draw, fractions)),
      perhaps(draw, 50),
      null,
    ])
  }

  #many(): Part {
    return Array.from({ length: this.#draw(4) }, () => this.scalar())
  }

  #type(): Part {
    return oneOf(this.#draw, perhaps(this.#draw, 80) ? ['STRING', 'LONG', 'DOUBLE', 'FLOAT'] : outputTypes)
  }

  filter(depth: number): Part {
    const draw = this.#draw
    const type = oneOf(draw, depth > 0 ? filters : filters.slice(3, 15))
    const within = (): Part => this.filter(depth - 1)
    switch (type) {
      case 'and':
      case 'or':
        return { type, fields: perhaps(draw, 95) ? [within(), within()] : [] }
      case 'not':
      case 'istrue':
      case 'isfalse':
        return { type, field: within() }
      case 'true':
      case 'false':
        return { type }
      case 'expression':
        return { type, expression: this.expressions.value('any', 2) }
      case 'columnComparison':
        return { type, dimensions: Array.from({ length: draw(4) }, () => this.dimension('c')) }
      case 'equals':
      case 'inType':
      case 'null':
      case 'range':
      case 'arrayContainsElement':
        return this.#typed(type)
      default:
        return {
          type,
          dimension: oneOf(draw, columns),
          ...this.#ofColumn(type),
          ...(perhaps(draw, 20) ? { extractionFn: this.extraction(1) } : {}),
        }
    }
  }

  #typed(type: string): Part {
    const draw = this.#draw
    const at = { type, column: oneOf(draw, columns) }
    if (type === 'null') return at
    if (type === 'arrayContainsElement')
      return { ...at, elementMatchValueType: this.#type(), elementMatchValue: this.scalar() }
    const matchValueType = this.#type()
    if (type === 'equals')
      return {
        ...at,
        matchValueType,
        matchValue: String(matchValueType).startsWith('ARRAY') ? this.#many() : this.scalar(),
      }
    if (type === 'inType') return { ...at, matchValueType, values: this.#many() }
    return {
      ...at,
      matchValueType,
      lower: this.scalar(),
      upper: this.scalar(),
      lowerOpen: perhaps(draw, 50),
      upperOpen: perhaps(draw, 50),
    }
  }

  #ofColumn(type: string): Readonly<Record<string, Part>> {
    const draw = this.#draw
    switch (type) {
      case 'selector':
        return { value: this.scalar() }
      case 'in':
        return { values: this.#many() }
      case 'bound':
        return {
          lower: this.scalar(),
          upper: this.scalar(),
          lowerStrict: perhaps(draw, 50),
          upperStrict: perhaps(draw, 50),
          ordering: oneOf(draw, orderings),
        }
      case 'like':
        return {
          pattern: oneOf(draw, marks),
          ...(perhaps(draw, 40) ? { escape: oneOf(draw, ['\\', '%', 'x', '', 'xx', '\u{1f600}']) } : {}),
        }
      case 'regex':
        return { pattern: oneOf(draw, regexes) }
      case 'search':
        return { query: this.search() }
      default:
        return { intervals: oneOf(draw, intervals) }
    }
  }

  search(): Part {
    const draw = this.#draw
    const value = (): string => oneOf(draw, texts)
    return oneOf<Part>(draw, [
      { type: 'all' },
      { type: 'contains', value: value(), caseSensitive: perhaps(draw, 50) },
      { type: 'insensitive_contains', value: value() },
      { type: 'fragment', values: [value(), value()], caseSensitive: perhaps(draw, 50) },
      { type: 'regex', pattern: oneOf(draw, regexes) },
    ])
  }

  extraction(depth: number): Part {
    const draw = this.#draw
    const type = oneOf(draw, extractions)
    const number = (): Part =>
      new Digits(oneOf(draw, perhaps(draw, 60) ? ['0', '1', '2', '5'] : [...wholeNumbers, ...fractions]))
    switch (type) {
      case 'timeFormat':
        return {
          type,
          format: oneOf<Part>(draw, [null, ...patterns]),
          timeZone: oneOf<Part>(draw, [null, ...zones]),
          locale: oneOf(draw, ['en', 'fr', 'de_CH', 'zz', 'x', 'tr', 'ar']),
          ...(perhaps(draw, 40) ? { granularity: oneOf(draw, granularities) } : {}),
          asMillis: perhaps(draw, 20),
        }
      case 'substring':
        return { type, index: number(), ...(perhaps(draw, 60) ? { length: number() } : {}) }
      case 'regex':
        return {
          type,
          expr: oneOf(draw, regexes),
          index: number(),
          replaceMissingValue: perhaps(draw, 50),
          replaceMissingValueWith: oneOf(draw, texts),
        }
      case 'partial':
        return { type, expr: oneOf(draw, regexes) }
      case 'searchQuery':
        return { type, query: this.search() }
      case 'lookup':
        return {
          type,
          lookup: { type: 'map', map: { a: 'b', '': 'x', constructor: 'y', [oneOf(draw, texts)]: oneOf(draw, texts) } },
          ...(perhaps(draw, 40) ? { retainMissingValue: true } : { replaceMissingValueWith: 'z' }),
        }
      case 'cascade':
        return { type, extractionFns: depth > 0 ? [this.extraction(depth - 1), this.extraction(depth - 1)] : [] }
      case 'bucket':
        return { type, size: number(), offset: number() }
      case 'stringFormat':
        return {
          type,
          format: oneOf(draw, formats),
          nullHandling: oneOf(draw, ['nullString', 'emptyString', 'returnNull']),
        }
      default:
        return { type }
    }
  }

  dimension(outputName: string): Part {
    const draw = this.#draw
    const dimension = oneOf(draw, columns)
    const delegate = {
      type: 'default',
      dimension,
      outputName,
      ...(perhaps(draw, 50) ? { outputType: oneOf(draw, outputTypes) } : {}),
    }
    switch (draw(9)) {
      case 0:
        return { type: 'listFiltered', delegate, values: [this.scalar(), null], isWhitelist: perhaps(draw, 50) }
      case 1:
        return { type: 'regexFiltered', delegate, pattern: oneOf(draw, regexes) }
      case 2:
        return { type: 'prefixFiltered', delegate, prefix: oneOf(draw, texts) }
      case 3:
      case 4:
        return { ...delegate, type: 'extraction', extractionFn: this.extraction(1) }
      case 5:
        return dimension
      default:
        return delegate
    }
  }
}
