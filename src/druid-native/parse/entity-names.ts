type Node = { readonly [name: string]: unknown }

/** The members of a data source that hold others. */
const inner = ['left', 'right', 'base', 'dataSources', 'query', 'dataSource'] as const

/** The names that a query gives as data sources, once each, be the rest of it valid or not. */
export function entityNames(query: unknown): readonly string[] {
  const names = new Set<string>()
  // On a stack of its own: how deep a query is, is the caller's doing.
  const sources: unknown[] = [isNode(query) ? query['dataSource'] : null]
  while (sources.length > 0) {
    const source = sources.pop()
    if (typeof source === 'string') names.add(source)
    else if (Array.isArray(source)) for (const one of source) sources.push(one)
    else if (isNode(source)) {
      if (source['type'] === 'table' && typeof source['name'] === 'string') names.add(source['name'])
      for (const member of inner) sources.push(source[member])
    }
  }
  return [...names]
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
