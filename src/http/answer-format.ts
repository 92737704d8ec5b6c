import type { onRequestHookHandler } from 'fastify'
import type { AnswerFormat } from '../answer/answer.ts'
import { Problem } from '../model/problem.ts'
import { chooseType } from './accept.ts'

/** What each format is called; the first is the default. */
export const mediaTypes: Readonly<Record<AnswerFormat, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
}
const formats = new Map<string, AnswerFormat>([
  [mediaTypes.json, 'json'],
  [mediaTypes.csv, 'csv'],
  [mediaTypes.ndjson, 'ndjson'],
  [mediaTypes.arrow, 'arrow'],
])
const offered = [...formats.keys()]

/** As the Content-Type says it. */
export function contentType(format: AnswerFormat): string {
  return format === 'csv' ? `${mediaTypes.csv}; charset=utf-8` : mediaTypes[format]
}

/** The format that a client likes best. Throws Problem `not_acceptable`. */
export function formatFor(accept: string | undefined): AnswerFormat {
  const format = formats.get(chooseType(accept, offered) ?? '')
  if (format !== undefined) return format
  throw new Problem(
    'not_acceptable',
    `The answer can be ${offered.slice(0, -1).join(', ')} or ${offered.at(-1)}. Leave Accept out, or let it take one of them.`,
  )
}

/** Refuses a client that takes none of the formats. */
export const acceptFormat: onRequestHookHandler = (request, _reply, done) => {
  formatFor(request.headers.accept)
  done()
}
