// Common parts of the paths of InfluxDB.
import Type, { type TSchema } from 'typebox'
import { type ProblemCode, problems } from '../model/problem.ts'
import { answers, lineSecurity } from './document.ts'
import { lineStatus } from './line-errors.ts'

/** Their callers send a key as clients of InfluxDB do, and read errors in its format. */
export const lineConfig = { keySchemes: ['basic', 'token'], errorBody: 'lines', keyParameter: 'p' } as const

export const lineSchema = { tags: ['line protocol'], security: lineSecurity }

const LineError = Type.Object(
  {
    code: Type.String({ description: 'The code in docs/errors.md.' }),
    message: Type.String({ description: 'The details of this error, and what to do.' }),
  },
  { title: 'LineError', description: "An error as InfluxDB's JSON." },
)

export const StatementError = Type.Object(
  {
    error: Type.String({ description: 'The details of this error, and what to do.' }),
    code: Type.String({ description: 'The code in docs/errors.md.' }),
  },
  { title: 'StatementError', description: "An error as InfluxDB 1's JSON." },
)

/** Like `answers`, with errors in InfluxDB's format. */
export function lineAnswers(
  good: Readonly<Record<number, object>>,
  problemCodes: readonly ProblemCode[],
  error: TSchema = LineError,
): Record<number, object> {
  const all: Record<number, object> = { ...good }
  for (const code of problemCodes) {
    const status = statusOf(code)
    const same = problemCodes.filter((other) => statusOf(other) === status)
    const [told] = Object.values(answers(200, '', null, same)).slice(-1)
    all[status] = { ...told, content: { 'application/json': { schema: error } } }
  }
  return all
}

function statusOf(code: ProblemCode): number {
  return lineStatus({ code, status: problems[code].status })
}
