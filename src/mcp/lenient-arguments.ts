// Assistants, and the programs between, write arguments in other forms than a schema says, and cannot be taught. What can be meant in one way alone is taken.
import type { TObject } from 'typebox'

/**
 * The arguments in the types of the schema: a number that came as a text, a list that came as one value or as the text of a list. A null or an
 * empty text of what is optional is left out, and so is what clients add under a name that begins with `_`.
 */
export function lenientArguments(
  { properties, required = [] }: Pick<TObject, 'properties'> & { readonly required?: readonly string[] },
  asked: unknown,
): unknown {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) return asked ?? {}
  const entries = Object.entries(asked).flatMap(([name, value]): [string, unknown][] => {
    const isEmpty = value === null || (value === '' && !required.includes(name))
    if (isEmpty || name.startsWith('_')) return []
    const type: unknown = Object.hasOwn(properties, name) ? Reflect.get(properties[name]!, 'type') : undefined
    return [[name, inType(value, type)]]
  })
  return Object.fromEntries(entries)
}

function inType(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'array') return listIn(value)
  const isNumber = (type === 'integer' || type === 'number') && value.trim() !== '' && Number.isFinite(Number(value))
  return isNumber ? Number(value) : value
}

function listIn(text: string): unknown {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // It is one value.
  }
  return [text]
}
