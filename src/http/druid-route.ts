// What the paths of Apache Druid have in common.
import Type from 'typebox'
import type { ProblemCode } from '../model/problem.ts'
import { answeredByHeader, answers, optionalBasicSecurity } from './document.ts'

/** Their callers know Basic authentication alone, and read errors as Druid writes them. */
export const druidConfig = { keySchemes: ['basic'], errorBody: 'druid' } as const

export const druidSchema = { tags: ['druid'], security: optionalBasicSecurity }

/** What Druid tells beside an answer: segments and intervals that are missing from it. There are none. */
export const nothingMissing = ['X-Druid-Response-Context', '{}'] as const

const DruidError = Type.Object(
  {
    error: Type.String({ description: 'Mostly `druidException`; a legacy name for errors that older clients know.' }),
    errorCode: Type.String(),
    persona: Type.String({ description: 'The audience: `USER` or `OPERATOR`.' }),
    category: Type.String({ examples: ['INVALID_INPUT'] }),
    errorMessage: Type.String({ description: 'What is wrong this time, and what to do.' }),
    context: Type.Object({}, { additionalProperties: true, description: '`code` is the code in docs/errors.md.' }),
  },
  { title: 'DruidError', description: "An error as Druid's JSON, with the statuses of all other endpoints." },
)

/** As `druidAnswers`, of a query, which more than one part may answer. */
export function druidQueryAnswers(
  description: string,
  content: Readonly<Record<string, object>>,
  problemCodes: readonly ProblemCode[],
): Record<number, object> {
  const good = { description, headers: answeredByHeader, content }
  return { ...druidAnswers(200, description, content, problemCodes), 200: good }
}

/** As `answers`, with errors as Druid writes them. */
export function druidAnswers(
  status: 200 | 202,
  description: string,
  content: Readonly<Record<string, object>>,
  problemCodes: readonly ProblemCode[],
): Record<number, object> {
  const good = Object.keys(content).length === 0 ? { description, type: 'null' } : { description, content }
  const problems = Object.entries(answers(200, description, null, problemCodes)).filter(([code]) => code !== '200')
  const told = problems.map(([code, answer]) => [
    code,
    { ...answer, content: { 'application/json': { schema: DruidError } } },
  ])
  return { ...Object.fromEntries(told), [status]: good }
}
