import type { TObject } from 'typebox'
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import { Problem } from '../model/problem.ts'
import { inTools } from './query-tool.ts'
import { type Reading, tools } from './tools.ts'

export interface CallParts {
  /** Gives a call read access to the data; the signal ends the call. */
  readonly reading: (signal: AbortSignal) => Reading
  readonly nowMs: () => number
  /** The message for the assistant if an error is not caused by its request. */
  readonly failure: (error: unknown) => string
}

type Called = { content: { type: 'text'; text: string }[]; isError?: true }

/** Runs a tool. Errors are returned to the assistant, which can try another way. */
export async function callTool(
  name: string,
  asked: unknown,
  signal: AbortSignal,
  { reading, nowMs, failure }: CallParts,
): Promise<Called> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) {
    return refused(
      `There is no tool ${JSON.stringify(name)}. The tools are ${tools.map((one) => one.name).join(', ')}.`,
    )
  }
  try {
    const { rows, note } = await tool.answer(lenientArguments(tool.inputSchema, asked), reading(signal), nowMs())
    return { content: [rows, note].filter((text) => text !== '').map((text) => ({ type: 'text', text })) }
  } catch (error) {
    return refused(reasonOf(error) ?? failure(error))
  }
}

function refused(text: string): Called {
  return { content: [{ type: 'text', text }], isError: true }
}

/** What is wrong and what to do; null if unknown. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ConnectionError) return error.message
  if (!(error instanceof Problem || error instanceof ServiceError)) return null
  const others = (error.errors ?? []).slice(1).map(({ path, message }) => `\n${path} ${message}.`)
  return inTools(`${error.message} (${error.code})${others.join('')}`)
}

/**
 * Assistants, and the programs in between, write arguments in other forms than the schema specifies. Unambiguous ones are accepted: this converts
 * arguments to the types of the schema, such as a number given as text, or a list given as one value or as the text of a list. Omits null and empty text
 * for optional arguments, and arguments whose name begins with `_`, which clients add.
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
    // Not JSON, so it is a single value.
  }
  return [text]
}
