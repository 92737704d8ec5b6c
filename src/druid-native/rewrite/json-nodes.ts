// JSON of a query as it came.

export type Node = { readonly [name: string]: unknown }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

export function memberOf(value: unknown, name: string): unknown {
  return isNode(value) ? value[name] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {}
}
