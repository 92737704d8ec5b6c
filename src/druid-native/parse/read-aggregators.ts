import { invalidRequest } from '../../model/problem.ts'
import type { NativeType } from '../values/typed.ts'
import { integerMax, type Json } from './json-reader.ts'
import type { Aggregator, FieldInput, NumericType, PostAggregator } from './query-nodes.ts'
import { readExpression, readValueType } from './read-common.ts'
import { readDimension } from './read-dimension.ts'
import { readFilter } from './read-filter.ts'

const numericForm = /^(long|double|float)(Sum|Min|Max)$/
const momentForm = /^(long|double|float|string)(First|Last|Any)$/

const knownAggregators =
  `javascript histogram stringFirstFold stringLastFold longFirstFold doubleFirstFold floatFirstFold longLastFold doubleLastFold floatLastFold
  expression singleValue varianceFold approxHistogram approxHistogramFold fixedBucketsHistogram KllDoublesSketch KllFloatsSketch KllDoublesSketchMerge
  KllFloatsSketchMerge arrayOfDoublesSketch quantilesDoublesSketchMerge tDigestSketch momentSketch momentSketchMerge timeMin timeMax bloom distinctCount`.split(
    /\s+/,
  )

function readInput(json: Json): FieldInput {
  const fieldName = json.at('fieldName').textOrNull()
  const expression = json.at('expression').missing ? null : readExpression(json.at('expression'))
  if ((fieldName === null) === (expression === null)) return json.fail('needs either fieldName or expression')
  return { fieldName, expression, path: json.path }
}

/** A `filtered` aggregator without a name takes the name of the aggregator that it filters. */
export function readAggregator(json: Json): Aggregator {
  const type = json.type()
  const path = json.path
  if (type === 'filtered') {
    const filter = readFilter(json.at('filter'))
    const aggregator = readAggregator(json.at('aggregator'))
    return { kind: 'filtered', name: json.at('name').textOrNull() || aggregator.name, path, filter, aggregator }
  }
  const [, numericType, extreme] = numericForm.exec(type) ?? []
  const [, momentType, moment] = momentForm.exec(type) ?? []
  const at = (): { readonly name: string; readonly path: string } => ({ name: json.at('name').text(), path })
  if (numericType !== undefined && extreme !== undefined) {
    const kind = extreme.toLowerCase() as 'sum'
    return { ...at(), kind, type: numericType.toUpperCase() as NumericType, input: readInput(json) }
  }
  if (momentType !== undefined && moment !== undefined)
    return readMoment(json, momentType.toUpperCase() as NativeType, moment.toLowerCase() as 'first' | 'last' | 'any')
  const fieldName = (): string => json.at('fieldName').text()
  const round = (): boolean => json.at('round').flag(false)
  switch (type) {
    case 'count':
      return { ...at(), kind: 'count' }
    case 'doubleMean':
      return { ...at(), kind: 'mean', fieldName: fieldName() }
    case 'cardinality': {
      const fields = (json.at('fields').missing ? json.at('fieldNames') : json.at('fields')).items().map(readDimension)
      return { ...at(), kind: 'cardinality', fields, byRow: json.at('byRow').flag(false), round: round() }
    }
    case 'hyperUnique':
      return { ...at(), kind: 'distinct', sketch: 'hyperUnique', fieldName: fieldName(), round: round() }
    case 'thetaSketch':
      return { ...at(), kind: 'distinct', sketch: 'theta', fieldName: fieldName(), round: false }
    case 'HLLSketchBuild':
    case 'HLLSketchMerge':
    case 'HLLSketch':
      return { ...at(), kind: 'distinct', sketch: 'hll', fieldName: fieldName(), round: round() }
    case 'quantilesDoublesSketch':
      return { ...at(), kind: 'quantiles', fieldName: fieldName() }
    case 'variance':
      return {
        ...at(),
        kind: 'variance',
        fieldName: fieldName(),
        population: json.at('estimator').textOrNull() === 'population',
      }
    case 'grouping':
      return {
        ...at(),
        kind: 'grouping',
        groupings: json.at('groupings').texts(),
      }
    default:
      return json.refuseType('aggregator', knownAggregators)
  }
}

function readMoment(json: Json, type: NativeType, kind: 'first' | 'last' | 'any'): Aggregator {
  const base = {
    name: json.at('name').text(),
    path: json.path,
    type,
    fieldName: json.at('fieldName').text(),
    maxBytes: json.at('maxStringBytes').wholeWithin(0, integerMax, 1024),
  }
  return kind === 'any'
    ? { ...base, kind }
    : { ...base, kind, timeColumn: json.at('timeColumn').textOrNull() ?? '__time' }
}

const functionsOfArithmetic = ['+', '-', '*', '/', 'pow', 'quotient'] as const

const knownPostAggregators =
  `javascript quantilesDoublesSketchToRank quantilesDoublesSketchToCDF quantilesDoublesSketchToString thetaSketchConstant thetaSketchToString
  HLLSketchUnion HLLSketchEstimateWithBounds HLLSketchToString arrayOfDoublesSketchToEstimate arrayOfDoublesSketchSetOp quantileFromTDigestSketch quantilesFromTDigestSketch
  buckets customBuckets equalBuckets min max quantile quantiles histogram KllDoublesSketchToQuantile`.split(/\s+/)

/** The properties of all post-aggregators. */
interface Place {
  readonly name: string | null
  readonly path: string
}

export function readPostAggregator(json: Json): PostAggregator {
  const at: Place = { name: json.at('name').textOrNull(), path: json.path }
  const type = json.type()
  switch (type) {
    case 'arithmetic':
      return readArithmetic(json, at)
    case 'fieldAccess':
    case 'finalizingFieldAccess':
      return { ...at, kind: 'fieldAccess', fieldName: json.at('fieldName').text() }
    case 'constant': {
      const value = json.at('value')
      return { ...at, kind: 'constant', value: typeof value.value === 'bigint' ? value.value : value.number() }
    }
    case 'expression': {
      const expression = readExpression(json.at('expression'))
      const outputType = json.at('outputType').missing ? null : readValueType(json.at('outputType'), 'STRING')
      return { ...at, kind: 'expression', expression, outputType }
    }
    case 'doubleGreatest':
    case 'doubleLeast':
    case 'longGreatest':
    case 'longLeast': {
      const greatest = type.endsWith('Greatest')
      return {
        ...at,
        kind: 'extreme',
        greatest,
        type: type.startsWith('long') ? 'LONG' : 'DOUBLE',
        fields: fieldsOf(json),
      }
    }
    case 'stddev': {
      const fieldName = json.at('fieldName').text()
      return { ...at, kind: 'stddev', fieldName, population: json.at('estimator').textOrNull() === 'population' }
    }
    default:
      return readOfSketch(json, at, type)
  }
}

const fieldsOf = (json: Json): readonly PostAggregator[] => json.at('fields').items().map(readPostAggregator)

function readArithmetic(json: Json, at: Place): PostAggregator {
  const fields = fieldsOf(json)
  if (fields.length < 2) return json.at('fields').fail('must hold at least two fields')
  const fn =
    functionsOfArithmetic.find((known) => known === json.at('fn').text()) ??
    json.at('fn').fail(`must be one of ${functionsOfArithmetic.join(' ')}`)
  return { ...at, kind: 'arithmetic', fn, fields, numericFirst: json.at('ordering').textOrNull() === 'numericFirst' }
}

/** Reads the post-aggregators that compute something from a sketch. */
function readOfSketch(json: Json, at: Place, type: string): PostAggregator {
  const field = (): PostAggregator => readPostAggregator(json.at('field'))
  switch (type) {
    case 'hyperUniqueCardinality': {
      const fieldName = json.at('fieldName').text()
      return {
        ...at,
        kind: 'estimate',
        field: { name: null, path: json.path, kind: 'fieldAccess', fieldName },
        round: false,
      }
    }
    case 'thetaSketchEstimate':
    case 'HLLSketchEstimate':
      return { ...at, kind: 'estimate', field: field(), round: json.at('round').flag(false) }
    case 'thetaSketchSetOp': {
      const fn = json.at('func').oneOf(['UNION', 'INTERSECT', 'NOT'] as const)
      return { ...at, kind: 'thetaSetOp', fn, fields: fieldsOf(json) }
    }
    case 'quantilesDoublesSketchToQuantile':
      return { ...at, kind: 'quantile', field: field(), fractions: [readFraction(json.at('fraction'))], one: true }
    case 'quantilesDoublesSketchToQuantiles': {
      const read = field()
      return {
        ...at,
        kind: 'quantile',
        field: read,
        fractions: json.at('fractions').items().map(readFraction),
        one: false,
      }
    }
    case 'quantilesDoublesSketchToHistogram': {
      const given = json.at('splitPoints')
      const splitPoints = given.missing ? null : given.items().map((item) => item.number())
      return {
        ...at,
        kind: 'histogram',
        field: field(),
        splitPoints,
        bins: json.at('numBins').wholeWithin(2, binsMax, 10),
      }
    }
    default:
      return json.refuseType('post-aggregator', knownPostAggregators)
  }
}

const binsMax = 1000

function readFraction(json: Json): number {
  const fraction = json.number()
  return fraction >= 0 && fraction <= 1 ? fraction : json.fail('must be 0 to 1')
}

/** Checks that the output names of a query are distinct. */
export function checkNames(names: readonly { readonly name: string | null; readonly path: string }[]): void {
  const seen = new Set<string>()
  for (const { name, path } of names) {
    if (name === null) throw invalidRequest(`${path}.name`, 'is required')
    if (name === '__time') throw invalidRequest(path, 'the name "__time" is reserved for the time')
    if (seen.has(name)) throw invalidRequest(path, `the name "${name}" is used twice`)
    seen.add(name)
  }
}
