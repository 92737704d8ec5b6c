// The interface names fields of a request; whoever types a command knows its options.
import type { Command } from 'commander'
import { ServiceError } from '../client/service-error.ts'

/** Where a field of a request has another name than its option. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['id_name_field', 'idName'],
  ['metric_name_field', 'metrics'],
  ['start_date', 'start'],
  ['end_date', 'end'],
])

export const exampleUrl = 'http://127.0.0.1:8080'
/** Before the address that asks the same as a command. */
export const addressText = 'The same as an address, for tools that fetch one (any user; the password is the key):'

/** The field of a request that an option is sent as, by its attribute such as `idName`. */
export function fieldOf(option: string): string {
  const [named] = [...otherNames].find(([, attribute]) => attribute === option) ?? []
  return named ?? option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The request that options ask for, with only what was given. */
export function requestOf(options: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([option, value]) => [fieldOf(option), value]))
}

/** What was typed for a field of the request that a command sent; undefined where it has no option for that. */
function optionOf(command: Command, field: string): string | undefined {
  if (field === 'sql_query') return 'The query'
  const attribute = otherNames.get(field) ?? field
  const named = (name: string) => command.options.find((option) => option.attributeName() === name)?.long ?? undefined
  // Of a list `fields` each `--field` gives one.
  return named(attribute) ?? (attribute.endsWith('s') ? named(attribute.slice(0, -1)) : undefined)
}

/**
 * The refusal with a request's fields as what was typed for them: at the head of the message all, within it those that are no English words.
 * An entry of a list that the command made of its options alone (`[0].from`) is the option.
 */
export function inOptions(error: unknown, command: Command): unknown {
  if (!(error instanceof ServiceError)) return error
  const { status, code, errors, retryable, retryAfterS } = error
  const whole = wholeDetail(error)
  const path = errors[0]?.path
  const isAtHead = path !== undefined && path !== '' && whole.startsWith(path)
  const head = isAtHead ? /^(?:\[\d+\]\.)?(\w+)/ : /^(\w+)(?=(?:\[\d+\])?: )/
  const detail = whole
    .replace(head, (whole, field: string) => optionOf(command, field) ?? whole)
    .replace(/\b\w+_\w+\b/g, (field) => optionOf(command, field) ?? field)
  return new ServiceError({ status, code, detail, errors, retryable, retryAfterS })
}

/** Nobody who typed a command sees the list of errors that a message of the service points to. */
function wholeDetail({ detail, errors }: ServiceError): string {
  if (!detail.includes('see errors)')) return detail
  return errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}
