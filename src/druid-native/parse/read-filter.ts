import { patternMax } from '../values/patterns.ts'
import { elementOf, type NativeType } from '../values/typed.ts'
import type { Json, Scalar } from './json-reader.ts'
import type { Filter } from './query-nodes.ts'
import {
  readExpression,
  readIntervals,
  readPattern,
  readSearchSpec,
  readTextOrdering,
  readType,
  readValueType,
} from './read-common.ts'
import { readDimension, readExtractionOrNull } from './read-dimension.ts'

export function readFilterOrNull(json: Json): Filter | null {
  return json.missing ? null : readFilter(json)
}

const dimensionOf = (json: Json) => ({
  dimension: json.at('dimension').text(),
  extraction: readExtractionOrNull(json.at('extractionFn')),
})

export function readFilter(json: Json): Filter {
  const type = json.type()
  switch (type) {
    case 'and':
    case 'or':
      return { kind: type, fields: readFilters(json.at('fields')) }
    case 'not':
    case 'istrue':
    case 'isfalse':
      return { kind: type, field: readFilter(json.at('field')) }
    case 'true':
    case 'false':
      return { kind: 'constant', value: type === 'true' }
    case 'selector':
    case 'extraction':
      return { ...dimensionOf(json), kind: 'selector', value: json.at('value').textOrNull() }
    case 'in':
      return { ...dimensionOf(json), kind: 'in', values: json.at('values').textsOrNulls() }
    case 'bound':
      return readBound(json)
    case 'equals':
    case 'inType':
    case 'null':
    case 'range':
      return readTyped(json, type)
    case 'arrayContainsElement': {
      const type = readType(json.at('elementMatchValueType'), 'STRING')
      const value = checkedScalar(json.at('elementMatchValue'), type)
      return { kind: 'containsElement', column: json.at('column').text(), type, value }
    }
    case 'like':
    case 'regex':
    case 'search':
      return readTextFilter(json, type)
    case 'interval':
      return { ...dimensionOf(json), kind: 'interval', intervals: readIntervals(json.at('intervals')) }
    case 'expression':
      return { kind: 'expression', expression: readExpression(json.at('expression')), path: json.at('expression').path }
    case 'columnComparison':
      return { kind: 'columnComparison', dimensions: json.at('dimensions').items().map(readDimension) }
    default:
      return json.refuseType('filter', ['javascript', 'spatial', 'bloom', 'nestedField'])
  }
}

function readFilters(json: Json): readonly Filter[] {
  const fields = json
    .items()
    .filter((field) => !field.missing)
    .map(readFilter)
  return fields.length === 0 ? json.fail('must hold at least one filter') : fields
}

function readBound(json: Json): Filter {
  const [lower, upper] = [json.at('lower').textOrNull(), json.at('upper').textOrNull()]
  if (lower === null && upper === null) return json.fail('a bound needs a lower or an upper bound')
  const legacy = json.at('alphaNumeric').flag(false) ? 'alphanumeric' : 'lexicographic'
  return {
    ...dimensionOf(json),
    kind: 'bound',
    lower,
    upper,
    lowerStrict: json.at('lowerStrict').flag(false),
    upperStrict: json.at('upperStrict').flag(false),
    ordering: readTextOrdering(json.at('ordering'), legacy),
  }
}

function checkedScalar(at: Json, type: NativeType): Scalar | null {
  const value = at.scalarOrNull('an array')
  return value === null || type === 'STRING' || (value !== '' && !Number.isNaN(Number(value)))
    ? value
    : at.fail(`must be a ${type}`)
}

function readTyped(json: Json, kind: 'equals' | 'inType' | 'null' | 'range'): Filter {
  const column = json.at('column').text()
  if (kind === 'null') return { kind, column }
  if (json.at('matchValueType').missing) return json.at('matchValueType').fail('is required')
  const element = elementOf(readValueType(json.at('matchValueType'), 'STRING'))
  if (kind === 'equals' && element !== null) {
    const values = json.at('matchValue').items()
    return { kind: 'equalsArray', column, element, values: values.map((item) => checkedScalar(item, element)) }
  }
  const type = readType(json.at('matchValueType'), 'STRING')
  const checked = (at: Json): Scalar | null => checkedScalar(at, type)
  if (kind === 'equals')
    return {
      kind,
      column,
      type,
      value:
        checked(json.at('matchValue')) ?? json.at('matchValue').fail('is required; for null use the filter "null"'),
    }
  if (kind === 'inType') return { kind, column, type, values: json.at('values').items().map(checked) }
  const [lower, upper] = [checked(json.at('lower')), checked(json.at('upper'))]
  if (lower === null && upper === null) return json.fail('a range needs a lower or an upper bound')
  return {
    kind,
    column,
    type,
    lower,
    upper,
    lowerOpen: json.at('lowerOpen').flag(false),
    upperOpen: json.at('upperOpen').flag(false),
  }
}

function readTextFilter(json: Json, kind: 'like' | 'regex' | 'search'): Filter {
  const base = dimensionOf(json)
  if (kind === 'regex') return { ...base, kind, pattern: readPattern(json.at('pattern')) }
  if (kind === 'search') {
    return json.at('query').missing
      ? json.at('query').fail('is required')
      : { ...base, kind, query: readSearchSpec(json.at('query')) }
  }
  const escapedBy = json.at('escape').textOrNull()
  if (escapedBy !== null && escapedBy.length !== 1) return json.at('escape').fail('must be one character')
  const pattern = json.at('pattern').text()
  if (pattern.length > patternMax) return json.at('pattern').fail(`has more than ${patternMax} characters`)
  return { ...base, kind, pattern, escapedBy }
}
