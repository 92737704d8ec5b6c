import { UsageError } from './usage-error.ts'

/** The value that a text names. Throws `UsageError` where there is none: `"int" is no type. There are: ...`. */
export function parseWord<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
  what: string,
): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new UsageError(`"${text ?? ''}" is no ${what}. There are: ${values.join(', ')}.`)
  return found
}
