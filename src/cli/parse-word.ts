import { CommandError } from './command-error.ts'

/** The value that a text names. Throws `CommandError` where there is none: `"int" is no type. There are: ...`. */
export function parseWord<Value extends string>(
  values: readonly Value[],
  text: string | undefined,
  what: string,
): Value {
  const found = values.find((value) => value === text)
  if (found === undefined) throw new CommandError(`"${text ?? ''}" is no ${what}. There are: ${values.join(', ')}.`)
  return found
}
