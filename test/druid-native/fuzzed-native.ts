// Random native queries: every query type and component that the documentation names, with values at every edge.

import { readNativeBody } from '../../src/druid-native/parse/read-body.ts'
import { Problem } from '../../src/model/problem.ts'
import { type Draw, fractions, fuzzedEntity, oneOf, perhaps, texts, wholeNumbers } from '../druid-sql/fuzzed-values.ts'
import { seededRandom } from '../support/random.ts'
import { fuzzedFunctions } from './fuzzed-expressions.ts'
import { FilterWriter } from './fuzzed-filters.ts'
import { Digits, granularities, intervals, orderings, outputTypes, type Part, written } from './fuzzed-parts.ts'

const columnNames = ['T', 's', 'l', 'b', 'ts', 'V', '__time', 'v0', 'v1', 'v2', 'nothing', '']
const aggregateNames = ['a0', 'a1', 'a2']

const numeric = ['long', 'double', 'float'].flatMap((type) => ['Sum', 'Min', 'Max'].map((form) => type + form))
const moments = ['long', 'double', 'float', 'string'].flatMap((type) =>
  ['First', 'Last', 'Any'].map((form) => type + form),
)
const sketches = [
  'hyperUnique',
  'thetaSketch',
  'HLLSketchBuild',
  'HLLSketchMerge',
  'quantilesDoublesSketch',
  'doubleMean',
  'variance',
]
const aggregators = ['count', ...numeric, ...moments, ...sketches, 'cardinality', 'grouping', 'filtered']
const extremes = ['doubleGreatest', 'doubleLeast', 'longGreatest', 'longLeast']
const estimates = ['thetaSketchEstimate', 'HLLSketchEstimate']
const quantiles = [
  'quantilesDoublesSketchToQuantile',
  'quantilesDoublesSketchToQuantiles',
  'quantilesDoublesSketchToHistogram',
]
const postAggregators = [
  'arithmetic',
  'fieldAccess',
  'finalizingFieldAccess',
  'constant',
  'expression',
  'hyperUniqueCardinality',
  'thetaSketchSetOp',
  'stddev',
  ...extremes,
  ...estimates,
  ...quantiles,
]
const havings = ['greaterThan', 'lessThan', 'equalTo', 'and', 'or', 'not', 'filter', 'dimSelector', 'always']
const queryTypes = [
  'timeseries',
  'topN',
  'groupBy',
  'groupBy',
  'groupBy',
  'scan',
  'scan',
  'search',
  'timeBoundary',
  'segmentMetadata',
  'dataSourceMetadata',
]

class NativeWriter extends FilterWriter {
  readonly #draw: Draw
  #turn: string | null

  constructor(draw: Draw, turn: string | null) {
    super(draw)
    this.#draw = draw
    this.#turn = turn
  }

  query(depth = 0): Part {
    const draw = this.#draw
    const queryType = depth > 0 ? oneOf(draw, ['groupBy', 'scan', 'timeseries', 'topN']) : oneOf(draw, queryTypes)
    const common = {
      queryType,
      dataSource: this.#source(depth),
      intervals: oneOf(draw, intervals),
      ...(perhaps(draw, 40) ? { filter: this.filter(2) } : {}),
      virtualColumns: this.#virtualColumns(),
      ...(perhaps(draw, 30) ? { context: this.#context() } : {}),
    }
    return { ...common, ...this.#ofType(queryType) }
  }

  #ofType(queryType: string): Readonly<Record<string, Part>> {
    const draw = this.#draw
    switch (queryType) {
      case 'timeseries':
        return {
          ...this.#aggregating(),
          descending: perhaps(draw, 30),
          ...(perhaps(draw, 20) ? { limit: this.#number() } : {}),
        }
      case 'topN':
        return {
          ...this.#aggregating(),
          dimension: this.dimension('d0'),
          threshold: oneOf(draw, [1, 5, 1000, 2_147_483_647, 0, -1]),
          metric: this.#metric(2),
        }
      case 'groupBy':
        return this.#groupBy()
      case 'scan':
        return {
          columns: perhaps(draw, 30) ? [] : Array.from({ length: 1 + draw(4) }, () => oneOf(draw, columnNames)),
          resultFormat: oneOf(draw, ['list', 'compactedList']),
          order: oneOf(draw, ['none', 'ascending', 'descending']),
          ...(perhaps(draw, 20) ? { limit: this.#number(), offset: this.#number(), batchSize: this.#number() } : {}),
        }
      case 'search':
        return {
          ...(perhaps(draw, 60)
            ? { searchDimensions: Array.from({ length: 1 + draw(2) }, (_, index) => this.dimension(`d${index}`)) }
            : {}),
          query: this.search(),
          ...(perhaps(draw, 30) ? { sort: { type: oneOf(draw, orderings) } } : {}),
          ...(perhaps(draw, 30) ? { granularity: oneOf(draw, granularities), limit: this.#number() } : {}),
        }
      case 'timeBoundary':
        return { bound: oneOf(draw, [null, 'minTime', 'maxTime', 'x']) }
      case 'segmentMetadata':
        return {
          merge: perhaps(draw, 50),
          analysisTypes: perhaps(draw, 50) ? ['cardinality', 'minmax', 'size', 'interval', 'aggregators'] : [],
          toInclude: oneOf<Part>(draw, [{ type: 'all' }, { type: 'none' }, { type: 'list', columns: ['s', 'l', 'x'] }]),
        }
      default:
        return {}
    }
  }

  #groupBy(): Readonly<Record<string, Part>> {
    const draw = this.#draw
    const dimensions = Array.from({ length: draw(4) }, (_, index) => this.dimension(`d${index}`))
    const columns = Array.from({ length: draw(3) }, () =>
      perhaps(draw, 20)
        ? oneOf(draw, ['d0', 'a0', 'nothing'])
        : {
            dimension: oneOf(draw, ['d0', 'd1', 'a0', 'p0']),
            direction: oneOf(draw, ['ascending', 'descending', 'desc', 'x']),
            dimensionOrder: oneOf<Part>(draw, [...orderings, { type: 'numeric' }]),
          },
    )
    return {
      ...this.#aggregating(),
      dimensions,
      ...(perhaps(draw, 35) ? { having: this.#having(2) } : {}),
      ...(perhaps(draw, 40)
        ? {
            limitSpec: {
              type: oneOf(draw, ['default', 'default', 'x']),
              columns,
              ...(perhaps(draw, 60) ? { limit: this.#number() } : {}),
              ...(perhaps(draw, 30) ? { offset: this.#number() } : {}),
            },
          }
        : {}),
      ...(perhaps(draw, 10) ? { subtotalsSpec: [['d0'], [], dimensions.map((_, index) => `d${index}`)] } : {}),
    }
  }

  #aggregating(): Readonly<Record<string, Part>> {
    const draw = this.#draw
    return {
      granularity: oneOf(draw, granularities),
      aggregations: Array.from({ length: draw(4) }, (_, index) => this.#aggregator(`a${index}`, 1)),
      postAggregations: perhaps(draw, 50)
        ? Array.from({ length: 1 + draw(2) }, (_, index) => this.#postAggregator(`p${index}`, 2))
        : [],
    }
  }

  /** The first virtual column calls the function whose turn it is. */
  #virtualColumns(): Part {
    const draw = this.#draw
    const count = this.#turn === null ? draw(4) : 1 + draw(3)
    return Array.from({ length: count }, (_, index) => {
      const turn = index === 0 ? this.#turn : null
      if (turn !== null) this.#turn = null
      return {
        type: 'expression',
        name: `v${index}`,
        expression:
          turn === null ? this.expressions.value('any', 1 + draw(3)) : this.expressions.call(turn, 1 + draw(2)),
        ...(perhaps(draw, 50) ? { outputType: oneOf(draw, outputTypes) } : {}),
      }
    })
  }

  #context(): Part {
    const draw = this.#draw
    const flags = ['skipEmptyBuckets', 'grandTotal', 'sortByDimsFirst', 'serializeDateTimeAsLong', 'resultAsArray']
    return {
      ...Object.fromEntries(flags.map((name) => [name, perhaps(draw, 30)])),
      ...(perhaps(draw, 10)
        ? { timeout: oneOf<Part>(draw, [0, 600_000, -1, new Digits('9223372036854775807'), 'x']) }
        : {}),
    }
  }

  #number(): Part {
    return new Digits(
      oneOf(this.#draw, perhaps(this.#draw, 60) ? ['1', '3', '100', '0'] : [...wholeNumbers, ...fractions]),
    )
  }

  #source(depth: number): Part {
    const draw = this.#draw
    if (depth > 1) return fuzzedEntity
    const inline = {
      type: 'inline',
      columnNames: ['k', 's', 'l'],
      ...(perhaps(draw, 70)
        ? { columnTypes: ['STRING', oneOf(draw, ['STRING', 'LONG', 'DOUBLE', 'FLOAT', null]), 'LONG'] }
        : {}),
      rows: Array.from({ length: draw(4) }, () => [
        oneOf(draw, texts),
        this.scalar(),
        oneOf<Part>(draw, [null, this.#number()]),
      ]),
    }
    switch (draw(14)) {
      case 0:
        return { type: 'union', dataSources: [fuzzedEntity, fuzzedEntity] }
      case 1:
        return { type: 'query', query: this.query(depth + 1) }
      case 2:
        return {
          type: 'join',
          left: fuzzedEntity,
          right: perhaps(draw, 50) ? inline : { type: 'query', query: this.query(depth + 1) },
          rightPrefix: 'r.',
          condition: oneOf(draw, [
            's == "r.s"',
            'T == "r.k"',
            'l == "r.l"',
            '1',
            'l > "r.l"',
            `T == "r.d0" && ${this.expressions.value('any', 1)}`,
          ]),
          joinType: oneOf(draw, ['INNER', 'LEFT', 'RIGHT', 'FULL']),
          ...(perhaps(draw, 20) ? { leftFilter: this.filter(1) } : {}),
        }
      case 3:
        return { type: 'table', name: fuzzedEntity }
      case 4:
        return inline
      default:
        return fuzzedEntity
    }
  }

  #aggregator(name: string, depth: number): Part {
    const draw = this.#draw
    const type = oneOf(draw, aggregators)
    if (type === 'filtered')
      return depth > 0
        ? { type, name, filter: this.filter(1), aggregator: this.#aggregator(name, 0) }
        : { type: 'count', name }
    if (type === 'cardinality')
      return {
        type,
        name,
        fields: [this.dimension('c0'), this.dimension('c1')],
        byRow: perhaps(draw, 50),
        round: perhaps(draw, 50),
      }
    if (type === 'grouping') return { type, name, groupings: ['d0', 'd1'] }
    const isOfExpression = numeric.includes(type) && perhaps(draw, 40)
    return {
      type,
      name,
      ...(isOfExpression ? { expression: this.expressions.value('any', 2) } : { fieldName: oneOf(draw, columnNames) }),
      ...(moments.includes(type) && perhaps(draw, 30)
        ? { maxStringBytes: this.#number(), timeColumn: oneOf(draw, ['__time', 'ts', 's']) }
        : {}),
      ...(type === 'variance' ? { estimator: oneOf(draw, ['population', 'sample']) } : {}),
    }
  }

  #postAggregator(name: string, depth: number): Part {
    const draw = this.#draw
    const type =
      depth > 0 ? oneOf(draw, postAggregators) : oneOf(draw, ['fieldAccess', 'constant', 'finalizingFieldAccess'])
    const inner = (): Part => this.#postAggregator('x', depth - 1)
    const at = { type, name }
    if (extremes.includes(type) || type === 'thetaSketchSetOp')
      return { ...at, func: oneOf(draw, ['UNION', 'INTERSECT', 'NOT']), fields: [inner(), inner()] }
    if (estimates.includes(type) || quantiles.includes(type))
      return {
        ...at,
        field: perhaps(draw, 80) ? { type: 'fieldAccess', fieldName: oneOf(draw, aggregateNames) } : inner(),
        fraction: this.#fraction(),
        fractions: [this.#fraction(), 0.5],
        ...(perhaps(draw, 50) ? { splitPoints: [this.#number(), 3] } : { numBins: this.#number() }),
      }
    switch (type) {
      case 'arithmetic':
        return {
          ...at,
          fn: oneOf(draw, ['+', '-', '*', '/', 'pow', 'quotient', 'x']),
          fields: [inner(), inner()],
          ...(perhaps(draw, 30) ? { ordering: 'numericFirst' } : {}),
        }
      case 'constant':
        return { ...at, value: this.#number() }
      case 'expression':
        return {
          ...at,
          expression: this.expressions.value('any', 2).replaceAll(/\b[TslV]\b/g, () => oneOf(draw, aggregateNames)),
          ...(perhaps(draw, 30) ? { outputType: oneOf(draw, outputTypes) } : {}),
        }
      default:
        return { ...at, fieldName: oneOf(draw, [...aggregateNames, 'nothing']) }
    }
  }

  #fraction(): Part {
    return oneOf(this.#draw, [0, 0.5, 1, 0.999, -0.1, 1.1])
  }

  #having(depth: number): Part {
    const draw = this.#draw
    const type = depth > 0 ? oneOf(draw, havings) : oneOf(draw, ['always', 'greaterThan'])
    const inner = (): Part => this.#having(depth - 1)
    if (type === 'and' || type === 'or') return { type, havingSpecs: [inner(), inner()] }
    if (type === 'not') return { type, havingSpec: inner() }
    if (type === 'filter') return { type, filter: this.filter(1) }
    if (type === 'dimSelector')
      return {
        type,
        dimension: oneOf(draw, ['d0', 'd1', 'nothing']),
        value: oneOf<Part>(draw, [null, ...texts]),
        ...(perhaps(draw, 20) ? { extractionFn: this.extraction(1) } : {}),
      }
    return {
      type,
      aggregation: oneOf(draw, [...aggregateNames, 'd0', 'p0', 'nothing']),
      value: perhaps(draw, 90) ? this.#number() : null,
    }
  }

  #metric(depth: number): Part {
    const draw = this.#draw
    if (depth === 0) return oneOf(draw, aggregateNames)
    const type = oneOf(draw, ['numeric', 'inverted', 'dimension', 'lexicographic', 'alphaNumeric', ''])
    if (type === '') return oneOf(draw, [...aggregateNames, 'p0'])
    if (type === 'inverted') return { type, metric: this.#metric(depth - 1) }
    if (type === 'numeric') return { type, metric: oneOf(draw, [...aggregateNames, 'p0']) }
    return { type, ordering: oneOf(draw, orderings), previousStop: oneOf<Part>(draw, [null, ...texts]) }
  }
}

function isTaken(text: string): boolean {
  try {
    readNativeBody(new TextEncoder().encode(text))
    return true
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return false
    throw error
  }
}

/** The most attempts to make a query that the parser accepts. */
const triesMax = 12
/** Every nth query calls the function whose turn it is. */
const turnEvery = 3

/** The body with this number: always the same. Consecutive numbers use all functions in turn. */
export function fuzzedNative(number: number): string {
  const turn =
    number % turnEvery === 0 ? (fuzzedFunctions[(number / turnEvery) % fuzzedFunctions.length] ?? null) : null
  let text = ''
  for (let attempt = 0; attempt < triesMax; attempt++) {
    const query = new NativeWriter(seededRandom(number * triesMax + attempt).below, turn).query()
    text = written({ query_type: (query as { readonly queryType: string }).queryType, query_data: query })
    if (isTaken(text)) return text
  }
  return text
}
