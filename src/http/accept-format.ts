import type { onRequestHookHandler } from 'fastify'
import { type AnswerFormat, answerFormats } from '../model/answer-format.ts'
import { Problem } from '../model/problem.ts'
import { chooseType } from './accept.ts'

const formats = new Map<string, AnswerFormat>(answerFormats.map(({ name, mediaType }) => [mediaType, name]))
const offered = [...formats.keys()]

/** The format that a client likes best. Throws Problem `not_acceptable`. */
export function formatFor(accept: string | undefined): AnswerFormat {
  const format = formats.get(chooseType(accept, offered) ?? '')
  if (format !== undefined) return format
  throw new Problem(
    'not_acceptable',
    `The answer can be ${offered.slice(0, -1).join(', ')} or ${offered.at(-1)}. Leave Accept out, or allow one of them.`,
  )
}

/** Refuses a client that takes none of the formats. */
export const acceptFormat: onRequestHookHandler = (request, _reply, done) => {
  formatFor(request.headers.accept)
  done()
}
