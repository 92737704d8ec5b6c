// Schemas with a title stand once in the OpenAPI document, under that; what has them refers to them.
import { isDeepStrictEqual } from 'node:util'

/** What no schema stands in. */
const plain = new Set(['examples', 'enum', 'const', 'default'])

/** The same with references, the schemas put into `schemas`. Throws where two that differ have one title. */
export function referTitled(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => referTitled(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => [name, plain.has(name) ? one : referTitled(one, schemas)])
  const { title, ...schema } = Object.fromEntries(members)
  if (typeof title !== 'string') return title === undefined ? schema : { ...schema, title }
  schemas[title] ??= schema
  if (!isDeepStrictEqual(schemas[title], schema)) throw new Error(`two schemas have the title ${title}`)
  return { $ref: `#/components/schemas/${title}` }
}
