// Reads having and limit specs, which a groupBy applies to its finished rows.
import { Json } from './json-reader.ts'
import type { Having, LimitSpec } from './query-nodes.ts'
import { readOrdering } from './read-common.ts'
import { readDimension } from './read-dimension.ts'
import { readFilter } from './read-filter.ts'

export function readHaving(json: Json): Having {
  const compare = (operator: '>' | '<' | '='): Having => {
    const value = json.at('value')
    return {
      kind: 'compare',
      operator,
      aggregation: json.at('aggregation').text(),
      value: typeof value.value === 'bigint' ? value.value : value.missing ? null : value.number(),
    }
  }
  const type = json.type()
  switch (type) {
    case 'greaterThan':
      return compare('>')
    case 'lessThan':
      return compare('<')
    case 'equalTo':
      return compare('=')
    case 'and':
    case 'or':
      return { kind: type, specs: json.at('havingSpecs').itemsOrNone().map(readHaving) }
    case 'not':
      return { kind: 'not', spec: readHaving(json.at('havingSpec')) }
    case 'filter':
      return { kind: 'filter', filter: readFilter(json.at('filter')) }
    case 'dimSelector':
      return {
        kind: 'dimSelector',
        dimension: {
          ...readDimension(json.at('dimension')),
          extraction: json.at('extractionFn').missing ? null : readExtractionOf(json),
        },
        value: json.at('value').textOrNull(),
      }
    case 'always':
      return { kind: 'always' }
    default:
      return json.refuseType('having', [])
  }
}

const readExtractionOf = (json: Json) =>
  readDimension(new Json({ type: 'extraction', dimension: '', extractionFn: json.at('extractionFn').value }, json.path))
    .extraction

/** As in Druid, a spec of any type but `default` limits nothing. */
export function readLimitSpec(json: Json): LimitSpec {
  if (json.missing || json.at('type').value !== 'default') return { limit: null, offset: 0, columns: [] }
  const columns = json
    .at('columns')
    .itemsOrNone()
    .map((item) => {
      if (!item.isObject)
        return { dimension: item.text(), descending: false, ordering: 'lexicographic' as const, path: item.path }
      const direction = (item.at('direction').textOrNull() ?? '').toLowerCase()
      const descending = direction !== '' && 'descending'.startsWith(direction)
      if (direction !== '' && !descending && !'ascending'.startsWith(direction))
        item.at('direction').fail('must be ascending or descending')
      return {
        dimension: item.at('dimension').text(),
        descending,
        ordering: readOrdering(item.at('dimensionOrder'), 'lexicographic'),
        path: item.path,
      }
    })
  return { limit: json.at('limit').countOr(null), offset: json.at('offset').countOrZero(), columns }
}
