// Maps the fields of requests to the options of commands.
import type { Command } from 'commander'
import { ServiceError } from '../client/service-error.ts'

/** Fields whose options have another name. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['id_name_field', 'idName'],
  ['metric_name_field', 'metrics'],
  ['start_date', 'start'],
  ['end_date', 'end'],
])

export const exampleUrl = 'http://127.0.0.1:8080'
/** Introduces the address that is equivalent to a command. */
export const addressText = 'The same as an address, for tools that fetch one (any user; the password is the key):'

/** The request field for an option, given by its attribute name such as `idName`. */
export function fieldOf(option: string): string {
  const [named] = [...otherNames].find(([, attribute]) => attribute === option) ?? []
  return named ?? option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The request for these options; options that were not given are omitted. */
export function requestOf(options: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([option, value]) => [fieldOf(option), value]))
}

/** The option for a field of the command's request; undefined if the command has no option for it. */
function optionOf(command: Command, field: string): string | undefined {
  if (field === 'sql_query') return 'The query'
  const attribute = otherNames.get(field) ?? field
  const named = (name: string) => command.options.find((option) => option.attributeName() === name)?.long ?? undefined
  // For a list such as `fields`, each `--field` adds one value.
  return named(attribute) ?? (attribute.endsWith('s') ? named(attribute.slice(0, -1)) : undefined)
}

/**
 * Replaces field names in a refusal by options: any field at the start of the message, and fields within it unless they could be English words.
 * An entry of a list that the command made from its options (`[0].from`) becomes the option.
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

/** The message with its errors in place of a reference to the list of errors, which the command line does not show. */
function wholeDetail({ detail, errors }: ServiceError): string {
  if (!detail.includes('see errors)')) return detail
  return errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}
